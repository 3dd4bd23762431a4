// Names of parameters: whether a text can be one, and what was meant by one that is unknown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "shared/schema/rules/parameter_table.h"

namespace pgc::schema {

// work_mem, or with the prefix of an extension: auto_explain.log_min_duration.
bool is_parameter_name(std::string_view name);

// What to say of a name that the major does not have; with the one that was probably meant, if
// `suggest`, which costs a look at all of them.
std::string unknown_parameter(std::string_view name, int major, bool suggest);
std::string unknown_extension_parameter(std::string_view name, bool suggest);

// The values of an enum that may be set, for "supported values".
nlohmann::json settable_values(const Parameter& parameter);

}  // namespace pgc::schema
