// Lists whose items must differ (x-kubernetes-list-type set and map), and which item of one list is
// which of another.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "shared/schema/structural/field_error.h"
#include "shared/schema/structural/field_path.h"

namespace pgc::schema {

std::vector<FieldError> explain_duplicates(const Json& node, const Json& list,
                                           const FieldPath& path);

// The item of `list` that has the keys of `item`; null where there is none or the list is no map.
const Json* same_item(const Json& node, const Json& item, const Json& list);

}  // namespace pgc::schema
