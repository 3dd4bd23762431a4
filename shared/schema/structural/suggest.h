// The field that was probably meant by one that the schema does not name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shared/schema/structural/crd.h"

namespace pgc::schema {

// `field` as FieldPath writes it, for example of an `unknown field "spec.replcias"`. The answer is
// a whole path as well: a field beside it with nearly that name ("spec.replicas"), else the one
// field of exactly that name elsewhere ("spec.storage.size" for "spec.size").
std::optional<std::string> suggest_field(const Schema& schema, std::string_view field);

}  // namespace pgc::schema
