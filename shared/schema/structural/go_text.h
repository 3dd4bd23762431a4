// How Go prints values: what the API server's messages are made with.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pgc::schema {

using Json = nlohmann::json;

// %q: quoted, with escapes for what cannot be seen.
std::string go_quoted(const std::string& text);
// %v of a float64: 1e+06, 3, 0.5.
std::string go_number(double number);
// JSON as encoding/json writes it: <, > and & as escapes, floats as JavaScript does.
std::string go_json(const Json& value);
// %v of any value: map[a:1 b:[x y]], <nil>.
std::string go_value(const Json& value);
// %T: int64, map[string]interface {}.
std::string go_type(const Json& value);

// string(number): the text of one code point.
std::string go_rune(std::int64_t number);

}  // namespace pgc::schema
