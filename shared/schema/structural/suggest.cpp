#include "shared/schema/structural/suggest.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/field_path.h"
#include "shared/schema/structural/nearest.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

// What people write there; the rest of ObjectMeta is the API server's.
const std::vector<std::string_view> kMetadata = {
    "annotations", "finalizers", "generateName", "labels", "name", "namespace", "ownerReferences"};

std::vector<std::string_view> names_of(const Json& node) {
  std::vector<std::string_view> names;
  const Json* properties = member(node, "properties");
  if (properties == nullptr) return names;
  for (const auto& [name, unused] : properties->items()) names.emplace_back(name);
  return names;
}

std::string_view after(std::string_view path, std::size_t last) {
  return last == std::string_view::npos ? std::string_view() : path.substr(last + 1);
}

// The schema of what holds the field, by its path without the last step. Null: not to be found.
const Json* node_at(const Json& root, std::string_view path) {
  const Json* node = &root;
  while (node != nullptr && !path.empty()) {
    if (path.front() == '[') {
      node = items_schema(*node);
      path = after(path, path.find(']'));
    } else {
      if (path.front() == '.') path.remove_prefix(1);
      const std::size_t end = path.find_first_of(".[");
      node = field_schema(*node, path.substr(0, end));
      path = end == std::string_view::npos ? std::string_view() : path.substr(end);
    }
  }
  return node;
}

// The paths of all fields that have this name, down to where a schema ends.
void find_named(const Json& node, std::string_view name, const FieldPath& path,
                std::vector<std::string>& found) {
  const Json* properties = member(node, "properties");
  if (properties == nullptr) return;
  for (const auto& [key, child] : properties->items()) {
    if (path.is_root() && key == "status") continue;  // not for people to write
    if (key == name) found.push_back(path.child(key).to_string());
    find_named(child, name, path.child(key), found);
  }
}

}  // namespace

std::optional<std::string> suggest_field(const Schema& schema, std::string_view field) {
  const std::size_t dot = field.rfind('.');
  const std::string_view name = dot == std::string_view::npos ? field : field.substr(dot + 1);
  const std::string_view parent = dot == std::string_view::npos ? "" : field.substr(0, dot);
  const Json& root = schema.compiled().root;
  const Json* node = node_at(root, parent);
  const auto beside = parent == "metadata" ? kMetadata
                      : node == nullptr    ? std::vector<std::string_view>()
                                           : names_of(*node);
  if (const auto meant = nearest(name, beside)) {
    return FieldPath(std::string(parent)).child(*meant).to_string();
  }
  std::vector<std::string> elsewhere;
  find_named(root, name, FieldPath(), elsewhere);
  if (elsewhere.size() != 1) return std::nullopt;
  return elsewhere.front();
}

}  // namespace pgc::schema
