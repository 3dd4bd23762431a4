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
#include <unordered_map>
#include <vector>

namespace pgc::schema {

using Json = nlohmann::json;

inline constexpr std::size_t kMaxYamlBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxYamlNodes = 1'000'000;

// Where the fields of a document stand. Lines count from 1, in the whole text.
class YamlLines {
 public:
  YamlLines() = default;
  explicit YamlLines(int begin) : begin_(begin) {}

  void set(const std::string& field, int line) { lines_.insert_or_assign(field, line); }
  // The line of a field, written as FieldPath writes it; of one that is not there, that of the
  // innermost field around it; else where the document begins.
  int of(std::string_view field) const;
  int begin() const { return begin_; }

 private:
  int begin_ = 1;
  std::unordered_map<std::string, int> lines_;
};

// A field that stands twice in one map; the last one counts.
struct DuplicateField {
  int line = 0;
  std::string field;

  bool operator==(const DuplicateField&) const = default;
};

struct YamlDocument {
  Json value;
  YamlLines lines;
  std::vector<DuplicateField> duplicates;
};

struct YamlError {
  int line = 0;  // 0: not known
  std::string message;
};

// Every document of the text that holds something. JSON is YAML.
std::expected<std::vector<YamlDocument>, YamlError> parse_yaml(std::string_view text);

}  // namespace pgc::schema
