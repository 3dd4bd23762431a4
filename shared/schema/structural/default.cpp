#include "shared/schema/structural/default.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

void fill(const Json& node, Json& value);

// A null that may not be is as good as absent.
void drop_null(const Json& node, Json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found != object.end() && found->is_null() && !is_nullable(node)) object.erase(found);
}

void fill_field(const Json& node, Json& object, const std::string& key) {
  drop_null(node, object, key);
  if (!object.contains(key)) {
    const Json* value = member(node, "default");
    if (value == nullptr) return;
    object[key] = *value;
  }
  fill(node, object[key]);
}

void fill_other_fields(const Json& node, Json& object) {
  std::vector<std::string> keys;  // fill_field may erase
  for (const auto& [key, unused] : object.items()) keys.push_back(key);
  const Json* properties = member(node, "properties");
  for (const std::string& key : keys) {
    if (properties != nullptr && properties->contains(key)) continue;
    if (const Json* schema = field_schema(node, key)) fill_field(*schema, object, key);
  }
}

void fill(const Json& node, Json& value) {
  if (value.is_object()) {
    if (const Json* properties = member(node, "properties")) {
      for (const auto& [key, child] : properties->items()) fill_field(child, value, key);
    }
    fill_other_fields(node, value);
  }
  const Json* items = items_schema(node);
  if (!value.is_array() || items == nullptr) return;
  for (Json& item : value) fill(*items, item);
}

}  // namespace

void apply_defaults(const Schema& schema, Json& object) {
  fill(schema.compiled().root, object);
}

}  // namespace pgc::schema
