// What must hold for every answer of the webhook, whatever it was asked
// (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#response).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "webhook/review.h"

namespace pgc::fuzz {

using Json = nlohmann::json;

// The review that asks about `object`; `old` null: it is created.
Json review_of(const Json& object, const Json& old);

// Checks the answer to `asked` and returns its `response`.
Json checked_response(webhook::Hook hook, const Json& asked, const webhook::Answer& answer);
Json checked_response(webhook::Hook hook, const Json& asked);

// The object of `asked` with the patch of `response`, if there is one.
Json patched(const Json& asked, const Json& response);

}  // namespace pgc::fuzz
