// What the API server wants of the fields behind the scale subresource.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "shared/schema/structural/crd.h"
#include "shared/schema/structural/field_error.h"

namespace pgc::schema {

std::vector<FieldError> check_scale(const ScalePaths& paths, const Json& object);

}  // namespace pgc::schema
