#include "tests/support/api_patch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/api_answer.h"

namespace pgc::test {
namespace {

using kube::Json;

// The real one lets `replace` add a member that is not there.
Json lenient(const Json& document, Json operation) {
  if (operation.value("op", "") != "replace") return operation;
  const Json::json_pointer place(operation.value("path", ""));
  if (!document.contains(place)) operation["op"] = "add";
  return operation;
}

// A StatefulSet's stands in its spec, a custom object's in its status.
std::string selector_of(const Json& document) {
  const Json* labels = kube::find_at(document, {"spec", "selector", "matchLabels"});
  if (labels == nullptr) return std::string(kube::string_at(document, {"status", "selector"}));
  std::string text;
  for (const auto& [key, value] : labels->items()) {
    text += (text.empty() ? "" : ",") + key + "=" + value.get<std::string>();
  }
  return text;
}

kube::Result<Json> json_patched(Json document, const Json& operations) {
  const auto is_object = [](const Json& operation) { return operation.is_object(); };
  if (!operations.is_array() || !std::ranges::all_of(operations, is_object)) {
    return answer(400, "BadRequest", "error decoding patch: it is not a list of operations");
  }
  try {
    for (const Json& operation : operations) {
      document.patch_inplace(Json::array({lenient(document, operation)}));
    }
  } catch (const Json::exception&) {  // a failed test, a path that is not there, no operation
    return answer(422, "Invalid", "the server rejected our request due to an error in our request");
  }
  return document;
}

}  // namespace

kube::Result<Json> patched(Json document, kube::PatchType type, const Json& body) {
  if (type == kube::PatchType::kJson) return json_patched(std::move(document), body);
  if (!body.is_object()) return answer(400, "BadRequest", "the patch is not an object");
  document.merge_patch(body);
  return document;
}

Json scale_of(const kube::Object& object) {
  const Json& document = object.json();
  Json metadata = Json::object();
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* value = kube::find_at(document, {"metadata", key})) metadata[key] = *value;
  }
  Json scale = {{"apiVersion", "autoscaling/v1"},
                {"kind", "Scale"},
                {"metadata", metadata},
                {"spec", {{"replicas", kube::int_at(document, {"spec", "replicas"})}}},
                {"status", {{"replicas", kube::int_at(document, {"status", "replicas"})}}}};
  const std::string selector = selector_of(document);
  if (!selector.empty()) scale["status"]["selector"] = selector;
  return scale;
}

}  // namespace pgc::test
