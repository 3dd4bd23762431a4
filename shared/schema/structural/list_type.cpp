#include "shared/schema/structural/list_type.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/correlate.h"
#include "shared/schema/structural/field_path.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

// The second of several equal items is told, not the third.
std::vector<std::size_t> repeated(const std::vector<Json>& items) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto end = items.begin() + static_cast<std::ptrdiff_t>(i);
    const auto before = std::count_if(items.begin(), end,
                                      [&](const Json& item) { return identical(item, items[i]); });
    if (before == 1) result.push_back(i);
  }
  return result;
}

std::vector<Json> keys_of(const Node& node, const Json& list) {
  std::vector<Json> result;
  for (const Json& item : list) {
    Json keys = Json::object();
    for (const std::string& name : node.list_keys) {
      if (const Json* value = member(item, name)) keys[name] = *value;
    }
    result.push_back(std::move(keys));
  }
  return result;
}

class ListWalk {
 public:
  void visit(const Node& node, const Json& value, const FieldPath& path) {
    if (value.is_array()) visit_list(node, value, path);
    if (value.is_object()) visit_object(node, value, path);
  }

  std::vector<FieldError> take() { return std::move(errors_); }

 private:
  void visit_list(const Node& node, const Json& list, const FieldPath& path) {
    if (node.list_type == ListType::kSet) tell(list.get<std::vector<Json>>(), path);
    if (node.list_type == ListType::kMap && all_objects(list, path)) {
      tell(keys_of(node, list), path);
    }
    for (std::size_t i = 0; node.items != nullptr && i < list.size(); ++i) {
      if (list[i].is_structured()) visit(*node.items, list[i], path.index(i));
    }
  }

  void tell(const std::vector<Json>& items, const FieldPath& path) {
    for (std::size_t i : repeated(items)) errors_.push_back(duplicate(path.index(i), items[i]));
  }

  bool all_objects(const Json& list, const FieldPath& path) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].is_object() || list[i].is_null()) continue;
      errors_.push_back(
          invalid(path.index(i), list[i], "must be an object for an array of list-type map"));
      return false;
    }
    return true;
  }

  void visit_object(const Node& node, const Json& object, const FieldPath& path) {
    for (const auto& [key, child] : object.items()) {
      if (!child.is_structured()) continue;
      const auto own = node.properties.find(key);
      if (own != node.properties.end()) {
        visit(own->second, child, path.child(key));
      } else if (node.others != nullptr) {
        visit(*node.others, child, path.key(key));
      }
    }
  }

  std::vector<FieldError> errors_;
};

}  // namespace

std::vector<FieldError> explain_lists(const Node& root, const Json& object) {
  ListWalk walk;
  walk.visit(root, object, FieldPath());
  return walk.take();
}

}  // namespace pgc::schema
