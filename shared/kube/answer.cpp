#include "shared/kube/answer.h"

#include <nlohmann/json.hpp>

namespace pgc::kube {
namespace {

constexpr std::size_t kDeepest = 500;

Error malformed(std::string message) {
  return {.kind = ErrorKind::kMalformed, .message = std::move(message)};
}

json::Shape list_shape(const json::Shape* keep) {
  return {.others = false,
          .members = {{"kind"}, {"metadata"}, {.name = "items", .shape = object_shape(keep)}}};
}

std::vector<Object> objects_of(Json& items, const ResourceType& type) {
  std::vector<Object> objects;
  objects.reserve(items.size());
  for (Json& item : items) {
    if (!item.is_object()) return {};
    add_type(item, type);
    objects.emplace_back(std::move(item));
  }
  return objects;
}

}  // namespace

const json::Shape& object_shape(const json::Shape* keep) {
  static const json::Shape without_managed_fields{
      .members = {
          {.name = "metadata", .shape = {.members = {{.name = "managedFields", .kept = false}}}}}};
  return keep == nullptr ? without_managed_fields : *keep;
}

json::Reader answer_reader() {
  return json::Reader(kDeepest);
}

void add_type(Json& document, const ResourceType& type) {
  document.emplace("apiVersion", type.api_version());
  document.emplace("kind", type.kind);
}

Result<ListPage> read_list(json::Reader& reader, std::string_view text, const ResourceType& type,
                           const json::Shape* keep) {
  auto answer = reader.read(text, list_shape(keep));
  const bool is_list = answer && string_at(*answer, {"kind"}).ends_with("List");
  const Json* items = is_list ? find_at(*answer, {"items"}) : nullptr;
  if (items == nullptr || !(items->is_array() || items->is_null())) {
    return std::unexpected(
        malformed("the server answered with no list of " + std::string(type.plural)));
  }
  ListPage page;
  page.list.resource_version = string_at(*answer, {"metadata", "resourceVersion"});
  page.next = string_at(*answer, {"metadata", "continue"});
  const std::size_t count = items->size();
  page.list.items = objects_of((*answer)["items"], type);
  if (page.list.items.size() == count) return page;
  return std::unexpected(malformed("the server answered a list of " + std::string(type.plural) +
                                   " with no objects in it"));
}

Result<Object> read_object(json::Reader& reader, std::string_view text, std::string_view request,
                           const json::Shape* keep) {
  auto answer = reader.read(text, object_shape(keep));
  if (answer && !string_at(*answer, {"kind"}).empty()) return Object(*std::move(answer));
  return std::unexpected(
      malformed("the server answered " + std::string(request) + " with no object of Kubernetes"));
}

}  // namespace pgc::kube
