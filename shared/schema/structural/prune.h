// Fields that a schema does not name: what the API server drops silently, or refuses when strict.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shared/schema/structural/crd.h"

namespace pgc::schema {

// What becomes of an object when the API server reads it: unknown fields go, and metadata is
// written anew.
struct Decoded {
  std::vector<std::string> unknown;  // `unknown field "spec.foo"`
  std::optional<std::string>
      unreadable;  // why metadata cannot be read, which is then left as it is
};
Decoded decode(const Schema& schema, Json& object);

// Removes the unknown fields of `object` and returns a message for each, in the API server's words:
// `unknown field "spec.foo"`. apiVersion, kind and metadata stay, also of embedded objects.
std::vector<std::string> prune(const Schema& schema, Json& object);
// The messages alone.
std::vector<std::string> unknown_fields(const Schema& schema, const Json& object);

}  // namespace pgc::schema
