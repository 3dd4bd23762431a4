// The structural verdict on an object: types, bounds, patterns, enums, required fields, list keys.
//
// The verdict itself is valijson's; the words are the API server's. CEL rules and unknown fields
// are not looked at (prune.h). Pure, and safe to call from several threads with one Schema.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "shared/schema/structural/crd.h"
#include "shared/schema/structural/field_error.h"

namespace pgc::schema {

// Objects nested deeper than this are refused unread.
inline constexpr int kMaxDepth = 64;

// Validates `object` as the API server does after pruning and defaulting (default.h). `old` is the
// stored object of an update, or null: what is wrong but unchanged is then tolerated. The errors
// come in the order of the fields' names.
std::vector<FieldError> validate(const Schema& schema, const Json& object,
                                 const Json* old = nullptr);

}  // namespace pgc::schema
