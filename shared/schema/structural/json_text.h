// JSON as the API server decodes it: what is no 64-bit integer is floating point, a field that
// stands twice counts as it stands last, and broken UTF-8 becomes U+FFFD.
#pragma once

#include <expected>
#include <nlohmann/json.hpp>  // in full: a document holds its value
#include <string>
#include <string_view>
#include <vector>

namespace pgc::schema {

using Json = nlohmann::json;

struct JsonDocument {
  Json value;
  std::vector<std::string> duplicates;  // `duplicate field "spec.replicas"`, each once
};

// The error says where and what. Bounded by `max_depth` levels of nesting.
std::expected<JsonDocument, std::string> parse_json(std::string_view text, int max_depth = 64);

}  // namespace pgc::schema
