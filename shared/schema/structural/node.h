// Questions to one node of a structural schema, which is its JSON. For the files of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pgc::schema {

using Json = nlohmann::json;

// The member of a JSON object, or null. Also for values that are no object.
const Json* member(const Json& value, std::string_view key);

// The schema of an object's field: its own, else that of additionalProperties. Null: not named.
const Json* field_schema(const Json& node, std::string_view key);
// Whether the fields that have no schema of their own are named all the same
// (additionalProperties).
bool allows_any_field(const Json& node);
const Json* items_schema(const Json& node);

bool has_flag(const Json& node, std::string_view keyword);
bool is_int_or_string(const Json& node);
bool preserves_unknown(const Json& node);
bool is_embedded_resource(const Json& node);
bool is_nullable(const Json& node);
std::string type_of_node(const Json& node);
std::optional<std::size_t> size_keyword(const Json& node, std::string_view keyword);

// The name of a value's JSON type: object, array, string, boolean, integer, number, null.
std::string_view type_name(const Json& value);
// A number without a fraction, however it is written: 3.0 counts.
bool is_whole(const Json& value);
// The number of code points.
std::size_t length_of(const std::string& text);
bool deeper_than(const Json& value, int levels);

}  // namespace pgc::schema
