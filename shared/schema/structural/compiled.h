// The insides of a Schema: the structural schema as it came, as a tree that is quick to walk, and
// what valijson makes of it.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/schema/structural/crd.h"

namespace valijson {
class Schema;
}

namespace pgc::schema {

// Checks a string against a format; null for those that the API server does not check.
using FormatCheck = bool (*)(const std::string& text);

enum class ListType { kAtomic, kSet, kMap };

// The types of a node, as bits.
enum Type : std::uint8_t {
  kObject = 1,
  kArray = 2,
  kString = 4,
  kInteger = 8,
  kNumber = 16,
  kBoolean = 32,
};

// One node of a structural schema.
struct Node {
  std::uint8_t types = 0;  // 0: any
  bool nullable = false;
  bool preserves_unknown = false;
  bool embedded_resource = false;
  bool forbids_others = false;  // additionalProperties: false
  bool allows_others = false;   // additionalProperties: true or a schema
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  bool has_default = false;
  bool subtle = false;  // allOf and its kin hold what valijson judges in another way (plain.h)
  ListType list_type = ListType::kAtomic;

  std::string type_text;  // as messages say it: "integer,string"
  std::string format;     // only what the API server looks at
  FormatCheck format_check = nullptr;
  Json default_value;

  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> multiple_of;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::int64_t> min_properties;
  std::optional<std::int64_t> max_properties;
  std::string pattern;
  std::shared_ptr<const re2::RE2> expression;
  std::vector<Json> choices;  // enum
  std::vector<std::string> required;
  std::vector<std::string> list_keys;

  std::map<std::string, Node, std::less<>> properties;
  std::unique_ptr<Node> others;  // additionalProperties
  std::unique_ptr<Node> items;
  std::vector<Node> all_of;
  std::vector<Node> any_of;
  std::vector<Node> one_of;
  std::unique_ptr<Node> negated;  // not

  // The schema of an object's field: its own, else that of the others. Null: not named.
  const Node* field(std::string_view key) const {
    const auto own = properties.find(key);
    return own != properties.end() ? &own->second : others.get();
  }
  bool is(Type type) const { return (types & type) != 0; }
  bool only(Type type) const { return types == type; }
};

struct Schema::Compiled {
  Json root;                                        // as it came
  Node tree;                                        // the same
  std::shared_ptr<const valijson::Schema> verdict;  // shared: an incomplete type is enough here
  std::size_t rule_count = 0;
  bool has_embedded = false;
  bool has_unique_lists = false;
};

// Whether `test` holds for a node of the tree, those inside allOf and its kin left out.
template <typename Test>
bool any_node(const Node& node, const Test& test) {
  if (test(node)) return true;
  for (const auto& [name, child] : node.properties) {
    if (any_node(child, test)) return true;
  }
  return (node.others != nullptr && any_node(*node.others, test)) ||
         (node.items != nullptr && any_node(*node.items, test));
}

}  // namespace pgc::schema
