// The algorithms are those of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting.
#include "shared/schema/structural/default.h"

#include <nlohmann/json.hpp>

#include "shared/schema/structural/compiled.h"

namespace pgc::schema {
namespace {

void fill(const Node& node, Json& value);

// A null that may not be is as good as absent. False: the field goes.
bool fill_field(const Node* node, Json& value) {
  if (node == nullptr) return true;
  if (value.is_null() && !node->nullable) {
    if (!node->has_default) return false;
    value = node->default_value;
  }
  fill(*node, value);
  return true;
}

void fill_object(const Node& node, Json& object) {
  for (auto field = object.begin(); field != object.end();) {
    field = fill_field(node.field(field.key()), field.value()) ? ++field : object.erase(field);
  }
  for (const auto& [name, child] : node.properties) {
    if (!child.has_default || object.contains(name)) continue;
    fill(child, object[name] = child.default_value);
  }
}

void fill_items(const Node& items, Json& list) {
  for (Json& item : list) {
    if (item.is_null() && !items.nullable && items.has_default) item = items.default_value;
    fill(items, item);
  }
}

void fill(const Node& node, Json& value) {
  if (value.is_object()) fill_object(node, value);
  if (value.is_array() && node.items != nullptr) fill_items(*node.items, value);
}

void drop(const Node& node, Json& value) {
  if (value.is_array() && node.items != nullptr) {
    for (Json& item : value) drop(*node.items, item);
  }
  if (!value.is_object()) return;
  for (auto field = value.begin(); field != value.end();) {
    const Node* child = node.field(field.key());
    const bool goes =
        field->is_null() && child != nullptr && !child->nullable && !child->has_default;
    if (child != nullptr) drop(*child, *field);
    field = goes ? value.erase(field) : ++field;
  }
}

}  // namespace

void drop_nulls(const Schema& schema, Json& object) {
  drop(schema.compiled().tree, object);
}

void apply_defaults(const Schema& schema, Json& object) {
  fill(schema.compiled().tree, object);
}

}  // namespace pgc::schema
