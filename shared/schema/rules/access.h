// Reading objects that may be of any shape. For the files of this folder.
#pragma once

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "shared/schema/quantity.h"

namespace pgc::schema {

using Json = nlohmann::json;

// The value at a path of keys; null where a part of it is missing or no object.
const Json* find(const Json& object, std::initializer_list<std::string_view> path);
// A string, or an integer in decimal, as the API's int-or-string fields have them.
std::optional<std::string> text_of(const Json* value);
std::optional<Quantity> quantity_of(const Json* value);

}  // namespace pgc::schema
