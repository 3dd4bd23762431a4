// The algorithm is that of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning.
#include "shared/schema/structural/prune.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/field_path.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

constexpr std::array<std::string_view, 3> kOfEveryObject = {"apiVersion", "kind", "metadata"};
constexpr std::array<std::string_view, 15> kObjectMeta = {"annotations",
                                                          "creationTimestamp",
                                                          "deletionGracePeriodSeconds",
                                                          "deletionTimestamp",
                                                          "finalizers",
                                                          "generateName",
                                                          "generation",
                                                          "labels",
                                                          "managedFields",
                                                          "name",
                                                          "namespace",
                                                          "ownerReferences",
                                                          "resourceVersion",
                                                          "selfLink",
                                                          "uid"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Pruner {
 public:
  explicit Pruner(std::vector<std::string>& messages) : messages_(messages) {}

  // Without a schema nothing inside an object is known.
  void prune(const Json* node, Json& value, const FieldPath& path, bool is_resource) {
    if (value.is_object()) prune_object(node, value, path, is_resource);
    if (!value.is_array()) return;
    const Json* items = node == nullptr ? nullptr : items_schema(*node);
    if (items == nullptr && node != nullptr && preserves_unknown(*node)) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      prune(items, value[i], path.index(i), items != nullptr && is_embedded_resource(*items));
    }
  }

 private:
  void prune_object(const Json* node, Json& object, const FieldPath& path, bool is_resource) {
    for (auto field = object.begin(); field != object.end();) {
      const FieldPath here = path.child(field.key());
      if (keep(node, field.key(), field.value(), here, is_resource)) {
        ++field;
      } else {
        messages_.push_back("unknown field \"" + here.to_string() + "\"");
        field = object.erase(field);
      }
    }
  }

  bool keep(const Json* node, const std::string& key, Json& value, const FieldPath& path,
            bool is_resource) {
    if (is_resource && among(kOfEveryObject, key)) {
      if (key == "metadata") prune_metadata(value, path);
      return true;
    }
    if (node == nullptr) return false;
    const Json* schema = field_schema(*node, key);
    if (schema == nullptr && preserves_unknown(*node)) return true;
    if (schema == nullptr && !allows_any_field(*node)) return false;
    prune(schema, value, path, schema != nullptr && is_embedded_resource(*schema));
    return true;
  }

  void prune_metadata(Json& metadata, const FieldPath& path) {
    if (!metadata.is_object()) return;
    for (auto field = metadata.begin(); field != metadata.end();) {
      if (among(kObjectMeta, field.key())) {
        ++field;
        continue;
      }
      messages_.push_back("unknown field \"" + path.child(field.key()).to_string() + "\"");
      field = metadata.erase(field);
    }
  }

  std::vector<std::string>& messages_;
};

}  // namespace

std::vector<std::string> prune(const Schema& schema, Json& object) {
  std::vector<std::string> messages;
  Pruner(messages).prune(&schema.compiled().root, object, FieldPath(), true);
  return messages;
}

std::vector<std::string> unknown_fields(const Schema& schema, const Json& object) {
  Json copy = object;
  return prune(schema, copy);
}

}  // namespace pgc::schema
