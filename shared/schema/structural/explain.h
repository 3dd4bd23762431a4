// What the API server says about one value that its schema refuses, without its fields and items.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "shared/schema/structural/field_error.h"
#include "shared/schema/structural/field_path.h"

namespace pgc::schema {

// `node` is the structural schema of `value`. Empty: nothing is wrong with the value itself, or it
// is what anyOf and its kin say, which are not looked at.
std::vector<FieldError> explain(const Json& node, const Json& value, const FieldPath& path);

// Whether an integer fits the node's format, which valijson does not know: int32 or int64.
std::vector<FieldError> explain_format(const Json& node, const Json& value, const FieldPath& path);

}  // namespace pgc::schema
