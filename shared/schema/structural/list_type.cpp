#include "shared/schema/structural/list_type.h"

#include <nlohmann/json.hpp>
#include <set>

#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

bool is_list_of(const Json& node, std::string_view type) {
  const Json* actual = member(node, "x-kubernetes-list-type");
  return actual != nullptr && *actual == type;
}

// What must differ between the items: themselves in a set, their keys in a map.
Json identity(const Json& node, const Json& item) {
  if (!is_list_of(node, "map")) return item;
  Json keys = Json::object();
  if (const Json* names = member(node, "x-kubernetes-list-map-keys")) {
    for (const Json& name : *names) {
      const Json* value = member(item, name.get_ref<const std::string&>());
      if (value != nullptr) keys[name.get_ref<const std::string&>()] = *value;
    }
  }
  return keys;
}

}  // namespace

std::vector<FieldError> explain_duplicates(const Json& node, const Json& list,
                                           const FieldPath& path) {
  if (!list.is_array() || !(is_list_of(node, "map") || is_list_of(node, "set"))) return {};
  std::vector<FieldError> errors;
  std::set<Json> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Json id = identity(node, list[i]);
    if (!seen.insert(id).second) errors.push_back(duplicate(path.index(i), id));
  }
  return errors;
}

const Json* same_item(const Json& node, const Json& item, const Json& list) {
  if (!list.is_array() || !is_list_of(node, "map")) return nullptr;
  const Json wanted = identity(node, item);
  for (const Json& candidate : list) {
    if (identity(node, candidate) == wanted) return &candidate;
  }
  return nullptr;
}

}  // namespace pgc::schema
