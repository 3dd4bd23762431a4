#include "tests/support/api_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/api_answer.h"

namespace pgc::test {
namespace {

using kube::Json;
using kube::ObjectRef;

void carry(const Json& from, const char* key, Json& to) {
  const auto found = from.find(key);
  if (found != from.end()) {
    to[key] = *found;
  } else if (to.is_object()) {
    to.erase(key);
  }
}

// Empty maps and lists of metadata and data do not exist in the answers of the real one.
void drop_empty(Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found != object.end() && (found->is_null() || found->empty())) object.erase(found);
  }
}

void tidy(Json& document) {
  drop_empty(document["metadata"], {"labels", "annotations", "finalizers", "ownerReferences"});
  drop_empty(document, {"data", "binaryData"});
}

std::vector<std::string> finalizers(const Json& document) {
  const Json* list = kube::find_at(document, {"metadata", "finalizers"});
  return list == nullptr ? std::vector<std::string>{} : list->get<std::vector<std::string>>();
}

Json without(Json value, std::initializer_list<const char*> keys) {
  if (!value.is_object()) return value;
  for (const char* key : keys) value.erase(key);
  return value;
}

Json member(const Json& document, const char* key) {
  const auto found = document.find(key);
  return found == document.end() ? Json() : *found;
}

std::optional<kube::Error> forbidden(const ObjectRef& ref, const std::string& field,
                                     const std::string& why) {
  return invalid(ref, {{field, "Forbidden: " + why}}).error();
}

std::optional<kube::Error> refusal_of_finalizers(const ObjectRef& ref, const Json& live,
                                                 const Json& document) {
  if (!being_deleted(live)) return std::nullopt;
  const auto before = finalizers(live);
  for (const std::string& finalizer : finalizers(document)) {
    if (std::ranges::find(before, finalizer) == before.end()) {
      return forbidden(ref, "metadata.finalizers",
                       "no new finalizers can be added if the object is being deleted, found new "
                       "finalizers []string{\"" +
                           finalizer + "\"}");
    }
  }
  return std::nullopt;
}

std::optional<kube::Error> refusal_of_spec(const ObjectRef& ref, const Json& live,
                                           const Json& document) {
  const Json before = member(live, "spec");
  const Json after = member(document, "spec");
  if (before == after) return std::nullopt;
  if (ref.type == kube::kStatefulSets) {
    const auto fixed = [](const Json& spec) {
      return without(spec,
                     {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
                      "persistentVolumeClaimRetentionPolicy", "minReadySeconds"});
    };
    if (fixed(before) != fixed(after)) {
      return forbidden(ref, "spec",
                       "updates to statefulset spec for fields other than 'replicas', "
                       "'ordinals', 'template', 'updateStrategy', "
                       "'revisionHistoryLimit', "
                       "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' "
                       "are forbidden");
    }
  }
  if (ref.type == kube::kPersistentVolumeClaims) {
    return forbidden(ref, "spec",
                     "spec is immutable after creation except resources.requests and "
                     "volumeAttributesClassName for bound claims");
  }
  return std::nullopt;
}

std::optional<kube::Error> refusal_of_fixed(const ObjectRef& ref, const Json& live,
                                            const Json& document) {
  for (const auto& [type, field] :
       {std::pair{kube::kSecrets, "type"}, std::pair{kube::kRoleBindings, "roleRef"}}) {
    if (ref.type == type && member(live, field) != member(document, field)) {
      return invalid(ref, {{field, "Invalid value: " + member(document, field).dump() +
                                       ": field is immutable"}})
          .error();
    }
  }
  return std::nullopt;
}

}  // namespace

bool being_deleted(const Json& document) {
  return kube::find_at(document, {"metadata", "deletionTimestamp"}) != nullptr;
}

bool has_finalizers(const Json& document) {
  const Json* list = kube::find_at(document, {"metadata", "finalizers"});
  return list != nullptr && !list->empty();
}

void prepare_new(const ApiType& type, const ObjectRef& ref, const std::string& now,
                 Json& document) {
  Json& metadata = document["metadata"];
  for (const char* key : {"uid", "resourceVersion", "deletionTimestamp",
                          "deletionGracePeriodSeconds", "managedFields", "selfLink"}) {
    metadata.erase(key);
  }
  metadata["creationTimestamp"] = now;
  if (type.counts_generation) metadata["generation"] = 1;
  if (type.has_status) document.erase("status");
  if (!type.protection.empty()) metadata["finalizers"].push_back(type.protection);
  document["apiVersion"] = ref.type.api_version();
  document["kind"] = ref.type.kind;
  tidy(document);
}

void keep_what_is_not_written(const ApiType& type, const Json& live, const std::string& subresource,
                              Json& document) {
  if (subresource == "status" && type.custom) {
    Json status = member(document, "status");
    document = live;
    document["status"] = std::move(status);
    if (document["status"].is_null()) document.erase("status");
    return;
  }
  if (subresource == "status") {
    carry(live, "spec", document);
  } else if (type.has_status) {
    carry(live, "status", document);
  }
  Json& metadata = document["metadata"];
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "generation",
                          "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    carry(live["metadata"], key, metadata);
  }
  metadata.erase("managedFields");
  document["apiVersion"] = live["apiVersion"];
  document["kind"] = live["kind"];
  tidy(document);
}

void count_generation(const ApiType& type, const Json& live, Json& document) {
  if (!type.counts_generation) return;
  const auto said = [](const Json& d) {
    return without(d, {"metadata", "status", "apiVersion", "kind"});
  };
  if (said(live) == said(document)) return;
  document["metadata"]["generation"] = kube::int_at(live, {"metadata", "generation"}) + 1;
}

std::optional<kube::Error> refusal_of_change(const ObjectRef& ref, const Json& live,
                                             const Json& document) {
  if (auto refusal = refusal_of_finalizers(ref, live, document)) return refusal;
  if (auto refusal = refusal_of_fixed(ref, live, document)) return refusal;
  return refusal_of_spec(ref, live, document);
}

}  // namespace pgc::test
