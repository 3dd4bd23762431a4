// The algorithm is that of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning.
#include "shared/schema/structural/prune.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/default.h"
#include "shared/schema/structural/object_meta.h"

namespace pgc::schema {
namespace {

// The way from the root to a value, on the stack: most walks never need it as text.
struct Step {
  const Step* parent = nullptr;
  const std::string* key = nullptr;  // null: an item
  std::size_t index = 0;

  bool is_root() const { return parent == nullptr; }
  std::string text() const {
    if (is_root()) return {};
    const std::string before = parent->text();
    if (key == nullptr) return before + "[" + std::to_string(index) + "]";
    return before.empty() ? *key : before + "." + *key;
  }
};

bool of_every_object(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}

class Pruner {
 public:
  explicit Pruner(std::vector<std::string>& unknown) : unknown_(unknown) {}

  // Without a schema nothing inside an object is known.
  void prune(const Node* node, Json& value, const Step& at) {
    if (node != nullptr && node->preserves_unknown) {
      keep_unknown(*node, value, at);
    } else if (value.is_object()) {
      prune_object(node, value, at);
    } else if (value.is_array()) {
      const Node* items = node == nullptr ? nullptr : node->items.get();
      for (std::size_t i = 0; i < value.size(); ++i) prune(items, value[i], {&at, nullptr, i});
    }
  }

 private:
  void prune_object(const Node* node, Json& object, const Step& at) {
    for (auto field = object.begin(); field != object.end();) {
      const Step here{&at, &field.key(), 0};
      if (keep(node, field.key(), field.value(), here)) {
        ++field;
        continue;
      }
      // metadata and its like come back at the root, so they are not called unknown there.
      if (!at.is_root() || !of_every_object(field.key())) unknown_.push_back(here.text());
      field = object.erase(field);
    }
  }

  bool keep(const Node* node, const std::string& key, Json& value, const Step& at) {
    if (node == nullptr) return false;
    const bool is_resource = node->embedded_resource || at.parent->is_root();
    if (is_resource && of_every_object(key)) return true;
    const Node* schema = node->field(key);
    if (schema == nullptr && !node->allows_others && !node->forbids_others) return false;
    prune(schema, value, at);
    return true;
  }

  // What has no schema stays; what has one is pruned again.
  void keep_unknown(const Node& node, Json& value, const Step& at) {
    if (value.is_array() && node.items != nullptr) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        keep_unknown(*node.items, value[i], {&at, nullptr, i});
      }
    }
    if (!value.is_object()) return;
    for (const auto& [key, child] : value.items()) {
      const bool is_resource = node.embedded_resource || at.is_root();
      if (is_resource && of_every_object(key)) continue;
      const Node* schema = node.field(key);
      if (schema != nullptr || node.allows_others) prune(schema, child, {&at, &key, 0});
    }
  }

  std::vector<std::string>& unknown_;
};

std::vector<std::string> messages(const std::vector<std::string>& fields) {
  std::vector<std::string> result;
  result.reserve(fields.size());
  for (const std::string& field : fields) result.push_back("unknown field \"" + field + "\"");
  return result;
}

}  // namespace

Decoded decode(const Schema& schema, Json& object) {
  const Schema::Compiled& compiled = schema.compiled();
  Reading reading = read_metadata(object);
  std::vector<std::string> pruned;
  Pruner(pruned).prune(&compiled.tree, object, {});
  std::sort(pruned.begin(), pruned.end());
  std::vector<std::string> fields = std::move(reading.unknown);
  fields.insert(fields.end(), pruned.begin(), pruned.end());
  if (compiled.has_embedded) {
    drop_nulls(schema, object);
    Reading embedded = read_embedded_metadata(compiled.tree, object);
    std::sort(embedded.unknown.begin(), embedded.unknown.end());
    fields.insert(fields.end(), embedded.unknown.begin(), embedded.unknown.end());
    if (!reading.error) reading.error = std::move(embedded.error);
  }
  return {.unknown = messages(fields), .unreadable = std::move(reading.error)};
}

std::vector<std::string> prune(const Schema& schema, Json& object) {
  return decode(schema, object).unknown;
}

std::vector<std::string> unknown_fields(const Schema& schema, const Json& object) {
  Json copy = object;
  return prune(schema, copy);
}

}  // namespace pgc::schema
