// Questions to JSON: to one node of a structural schema as it came, and to the values that it
// speaks of. For the files of this folder.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace pgc::schema {

using Json = nlohmann::json;

// The member of a JSON object, or null. Also for values that are no object.
const Json* member(const Json& value, std::string_view key);

// The schema of an object's field: its own, else that of additionalProperties. Null: not named.
const Json* field_schema(const Json& node, std::string_view key);
const Json* items_schema(const Json& node);
bool has_flag(const Json& node, std::string_view keyword);
bool is_int_or_string(const Json& node);
bool is_nullable(const Json& node);
std::string type_of_node(const Json& node);

// A number without a fraction, however it is written: 3.0 counts.
bool is_whole(const Json& value);
// What the API server takes for an integer: up to 2^53, and a fraction that is small beside the
// number does not count.
bool is_json_integer(double number);
// The number of code points.
std::size_t length_of(const std::string& text);
bool deeper_than(const Json& value, int levels);

}  // namespace pgc::schema
