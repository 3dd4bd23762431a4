// The rules that also stand in the CRD as CEL, in the same words and for the same fields: they hold
// while the webhook is away. A test against a real API server keeps the two in agreement.
#pragma once

#include "shared/schema/rules/rules.h"

namespace pgc::schema {

// What the API server's CEL says of an object that its schema finds right. `old` is the stored
// object of an update, or null. check() includes it.
std::vector<FieldError> check_twins(const Json& object, const Json* old = nullptr);

}  // namespace pgc::schema
