#include "shared/kube/object.h"

#include <nlohmann/json.hpp>

namespace pgc::kube {

std::string ResourceType::api_version() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string ObjectRef::to_string() const {
  std::string text(type.plural);
  if (!type.group.empty()) text += "." + std::string(type.group);
  text += " ";
  if (!ns.empty()) text += ns + "/";
  return text + name;
}

Object::Object() : document_(std::make_shared<const Json>(Json::object())) {}

Object::Object(Json document) : document_(std::make_shared<const Json>(std::move(document))) {}

std::optional<Object> Object::parse(std::string_view text) {
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return std::nullopt;
  return Object(std::move(document));
}

std::string_view Object::name() const {
  return string_at(*document_, {"metadata", "name"});
}
std::string_view Object::ns() const {
  return string_at(*document_, {"metadata", "namespace"});
}
std::string_view Object::uid() const {
  return string_at(*document_, {"metadata", "uid"});
}
std::string_view Object::kind() const {
  return string_at(*document_, {"kind"});
}

std::string_view Object::resource_version() const {
  return string_at(*document_, {"metadata", "resourceVersion"});
}

std::string_view Object::label(std::string_view key) const {
  return string_at(*document_, {"metadata", "labels", key});
}

std::string_view Object::annotation(std::string_view key) const {
  return string_at(*document_, {"metadata", "annotations", key});
}

std::int64_t Object::generation() const {
  return int_at(*document_, {"metadata", "generation"});
}

bool Object::being_deleted() const {
  return !string_at(*document_, {"metadata", "deletionTimestamp"}).empty();
}

std::string_view Object::controller_uid() const {
  const Json* owners = find_at(*document_, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_array()) return "";
  for (const Json& owner : *owners) {
    const Json* controller = find_at(owner, {"controller"});
    if (controller != nullptr && *controller == true) return string_at(owner, {"uid"});
  }
  return "";
}

const Json* find_at(const Json& document, std::initializer_list<std::string_view> path) {
  const Json* here = &document;
  for (std::string_view key : path) {
    if (!here->is_object()) return nullptr;
    const auto found = here->find(key);
    if (found == here->end()) return nullptr;
    here = &*found;
  }
  return here;
}

std::string_view string_at(const Json& document, std::initializer_list<std::string_view> path) {
  const Json* value = find_at(document, path);
  if (value == nullptr || !value->is_string()) return "";
  return value->get_ref<const std::string&>();
}

std::int64_t int_at(const Json& document, std::initializer_list<std::string_view> path,
                    std::int64_t otherwise) {
  const Json* value = find_at(document, path);
  return value != nullptr && value->is_number_integer() ? value->get<std::int64_t>() : otherwise;
}

}  // namespace pgc::kube
