#include "tests/contract/side.h"

#include <algorithm>
#include <set>

namespace pgc::contract {
namespace {

using kube::Json;
using kube::Object;

std::string words(const kube::Error& error) {
  std::string text = "refused: " + std::to_string(error.code) + " " + error.reason;
  if (error.message.find("Apply failed") == std::string::npos) return text;
  std::set<std::string> fields;
  for (const kube::Cause& cause : error.causes) fields.insert(cause.field + " " + cause.message);
  for (const std::string& field : fields) text += "\n  " + field;
  return text;
}

void mask(Json& object, const char* key) {
  if (object.contains(key)) object[key] = "*";
}

void mask_addresses(Json& document) {
  if (!document.contains("spec")) return;
  Json& spec = document["spec"];
  for (const char* key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"})
    spec.erase(key);
}

void put(Json& body, Claim claim, const char* field, const std::string& value) {
  if (claim != Claim::kNone) body["metadata"][field] = value;
}

}  // namespace

Json normal(const Object& object) {
  Json document = object.json();
  if (document.contains("metadata")) {
    Json& metadata = document["metadata"];
    for (const char* key : {"uid", "resourceVersion", "managedFields", "namespace"}) {
      metadata.erase(key);
    }
    for (const char* key : {"creationTimestamp", "deletionTimestamp"}) mask(metadata, key);
    if (metadata.contains("ownerReferences")) {
      for (Json& owner : metadata["ownerReferences"]) mask(owner, "uid");
    }
  }
  const std::string_view kind = object.kind();
  if (kind == "Service") mask_addresses(document);
  // The one in memory has a default StorageClass.
  if (kind == "PersistentVolumeClaim") document["spec"].erase("storageClassName");
  if (kind != "PostgresCluster" && kind != "Scale") document.erase("status");
  return document;
}

std::string Side::claimed(const Step& step, Claim claim, const char* field) {
  const std::vector<Object>& seen = seen_[ref(step)];
  const bool version = std::string_view(field) == "resourceVersion";
  if (claim == Claim::kWrong || seen.empty()) return version ? "1" : "no-such-uid";
  // To the real one a PUT of a volume may be a write though it changes nothing: what looks like the
  // newest state is taken for it.
  const bool old = claim == Claim::kOld && normal(seen.front()) != normal(seen.back());
  const Object& object = old ? seen.front() : seen.back();
  return std::string(version ? object.resource_version() : object.uid());
}

void Side::resolve(Json& body) {
  const auto owner = client_.get({kube::kPostgresClusters, ns_, "a"});
  if (!body.is_object() || !body["metadata"].contains("ownerReferences")) return;
  for (Json& reference : body["metadata"]["ownerReferences"]) {
    reference["uid"] = owner ? std::string(owner->uid()) : "gone";
  }
}

Json Side::body_of(const Step& step) {
  Json body = step.body;
  if (body.is_object() && body.contains("metadata")) resolve(body);
  if (step.verb == Verb::kReplace) {
    if (const auto live = client_.get(ref(step))) {
      Json document = live->json();
      document["metadata"].erase("resourceVersion");
      document["metadata"].erase("uid");
      document.merge_patch(body);
      body = std::move(document);
    }
  }
  if (step.options.subresource == "scale") {
    // To the real one a scale to what it is already may be a write all the same.
    const auto live = client_.get(ref(step));
    const auto now = live ? kube::int_at(live->json(), {"spec", "replicas"}) : 0;
    if (body["spec"]["replicas"] == now) body["spec"]["replicas"] = now % 3 + 1;
  }
  if (body.is_array()) {
    if (step.version != Claim::kNone) {
      const Json first = {{"op", "replace"},
                          {"path", "/metadata/resourceVersion"},
                          {"value", claimed(step, step.version, "resourceVersion")}};
      body.insert(body.begin(), first);
    }
    return body;
  }
  if (step.verb != Verb::kPatch || step.patch == kube::PatchType::kApply) {
    body["apiVersion"] = step.type.api_version();
    body["kind"] = step.type.kind;
    body["metadata"]["name"] = step.name;
  }
  put(body, step.version, "resourceVersion", claimed(step, step.version, "resourceVersion"));
  put(body, step.uid, "uid", claimed(step, step.uid, "uid"));
  return body;
}

std::string Side::refused(const kube::Error& error) {
  last_message_ = error.message;
  return words(error);
}

std::string Side::remember(const Step& step, const kube::Result<Object>& result) {
  if (!result) return refused(result.error());
  if (!step.options.dry_run) {
    const bool scaled = step.options.subresource == "scale";
    seen_[ref(step)].push_back(scaled ? client_.get(ref(step)).value_or(*result) : *result);
  }
  return normal(*result).dump(1);
}

std::string Side::remove(const Step& step) {
  kube::Preconditions conditions;
  if (step.uid != Claim::kNone) conditions.uid = claimed(step, step.uid, "uid");
  if (step.version != Claim::kNone) {
    conditions.resource_version = claimed(step, step.version, "resourceVersion");
  }
  const auto result = client_.remove(ref(step), conditions);
  return result ? "deleted" : refused(result.error());
}

std::string Side::list(const Step& step) {
  const auto result = client_.list(step.type, {.ns = ns_, .label_selector = step.selector});
  if (!result) return refused(result.error());
  std::string text = "list";
  for (const Object& object : result->items) text += "\n" + normal(object).dump(1);
  return text;
}

std::string Side::perform(const Step& step) {
  switch (step.verb) {
    case Verb::kGet:
      return remember(step, client_.get(ref(step)));
    case Verb::kList:
      return list(step);
    case Verb::kCreate:
      return remember(step, client_.create(step.type, ns_, Object(body_of(step)), step.options));
    case Verb::kReplace:
      return remember(step, client_.replace(ref(step), Object(body_of(step)), step.options));
    case Verb::kPatch:
      return remember(step, client_.patch(ref(step), step.patch, body_of(step), step.options));
    case Verb::kDelete:
      return remove(step);
  }
  return "";
}

}  // namespace pgc::contract
