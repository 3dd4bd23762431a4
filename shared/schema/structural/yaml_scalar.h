// What a plain scalar means in YAML 1.1, as Go's yaml.v2 and with it kubectl resolves it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace pgc::schema {

using Json = nlohmann::json;

// Null, boolean, number or, for everything else, the text itself. Nothing: a number that JSON
// cannot hold
// (.inf, .nan). A whole floating-point number becomes an integer, as kubectl's way through JSON
// makes it.
std::optional<Json> resolve_scalar(const std::string& text);

}  // namespace pgc::schema
