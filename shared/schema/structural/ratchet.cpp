#include "shared/schema/structural/ratchet.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "shared/schema/structural/list_type.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

// Corresponding places in the schema, the new and the old object. Null: there is none.
struct Cursor {
  const Json* node;
  const Json* value;
  const Json* old;
};

Cursor into_field(const Cursor& at, const std::string& key) {
  return {at.node == nullptr ? nullptr : field_schema(*at.node, key), member(*at.value, key),
          member(*at.old, key)};
}

Cursor into_item(const Cursor& at, const std::string& step) {
  const std::size_t index = std::strtoull(step.c_str(), nullptr, 10);
  if (at.node == nullptr || index >= at.value->size()) return {nullptr, nullptr, nullptr};
  const Json& item = at.value->at(index);
  return {items_schema(*at.node), &item, same_item(*at.node, item, *at.old)};
}

}  // namespace

bool unchanged(const Json& schema_root, const Json& object, const Json& old, const Steps& steps) {
  Cursor at{&schema_root, &object, &old};
  for (const std::string& step : steps) {
    at = at.value->is_array() ? into_item(at, step) : into_field(at, step);
    if (at.value == nullptr || at.old == nullptr) return false;
    if (*at.value == *at.old) return true;
  }
  return false;
}

}  // namespace pgc::schema
