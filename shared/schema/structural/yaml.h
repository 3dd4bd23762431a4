// YAML as kubectl reads it (YAML 1.1: `on` and `yes` are booleans, `010` is eight), turned into
// JSON.
//
// Meant for text from people: nesting, the number of nodes (aliases expanded) and the size are
// bounded.
#pragma once

#include <cstddef>
#include <expected>
#include <nlohmann/json.hpp>  // in full: a document holds its value
#include <string>
#include <string_view>
#include <vector>

namespace pgc::schema {

using Json = nlohmann::json;

inline constexpr std::size_t kMaxYamlBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxYamlNodes = 1'000'000;

struct YamlDocument {
  Json value;
  int line = 1;  // where it begins
  std::vector<std::string>
      duplicates;  // `line 7: duplicate field "spec.replicas"`; the last one counts
};

struct YamlError {
  int line = 0;  // 0: not known
  std::string message;
};

// Every document of the text that holds something. JSON is YAML.
std::expected<std::vector<YamlDocument>, YamlError> parse_yaml(std::string_view text);

}  // namespace pgc::schema
