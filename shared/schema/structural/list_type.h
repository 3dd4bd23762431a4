// Lists whose items must differ: x-kubernetes-list-type set and map.
//
// The algorithm is that of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "shared/schema/structural/field_error.h"

namespace pgc::schema {

struct Node;

// What is wrong with the lists anywhere in an object.
std::vector<FieldError> explain_lists(const Node& root, const Json& object);

}  // namespace pgc::schema
