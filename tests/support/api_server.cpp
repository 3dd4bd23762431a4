#include "tests/support/api_server.h"

#include "shared/kube/cache.h"
#include "shared/x509/base64.h"
#include "tests/support/api_defaults.h"

namespace pgc::test {
namespace {

using kube::Error;
using kube::ErrorKind;
using kube::Json;
using kube::Object;
using kube::ObjectRef;
using kube::Result;

std::unexpected<Error> answer(ErrorKind kind, const std::string& message) {
  return std::unexpected(Error{.kind = kind, .message = message});
}

std::unexpected<Error> not_found(const ObjectRef& ref) {
  return answer(ErrorKind::kNotFound, ref.to_string() + " not found");
}

// A stated UID or resourceVersion that is not the object's.
bool contradicts(const Json& live, const Json& body) {
  for (const char* field : {"uid", "resourceVersion"}) {
    const Json* stated = kube::find_at(body, {"metadata", field});
    if (stated != nullptr && *stated != live["metadata"][field]) return true;
  }
  return false;
}

// Lays `fresh` over `live`; what the manager had applied `before` and no longer does goes.
void merge_applied(Json& live, const Json& fresh, const Json& before) {
  if (!live.is_object()) live = Json::object();
  for (const auto& [key, value] : before.items()) {
    if (!fresh.contains(key)) live.erase(key);
  }
  for (const auto& [key, value] : fresh.items()) {
    const auto was = before.find(key);
    if (value.is_object()) {
      merge_applied(live[key], value,
                    was != before.end() && was->is_object() ? *was : Json::object());
    } else {
      live[key] = value;
    }
  }
}

// Data that is written as text is stored as bytes.
void take_string_data(Json& document) {
  if (!document.contains("stringData")) return;
  for (const auto& [key, text] : document["stringData"].items()) {
    document["data"][key] = x509::to_base64(text.get<std::string>());
  }
  document.erase("stringData");
}

bool has_finalizers(const Json& document) {
  const Json* list = kube::find_at(document, {"metadata", "finalizers"});
  return list != nullptr && !list->empty();
}

}  // namespace

std::optional<Error> ApiServer::refused(const std::string& verb, const ObjectRef& ref) {
  return fault ? fault(verb + " " + ref.to_string()) : std::nullopt;
}

Object ApiServer::commit(const std::string& verb, const ObjectRef& ref, Json document) {
  take_string_data(document);
  Json& metadata = document["metadata"];
  metadata["name"] = ref.name;
  if (ref.type.namespaced) metadata["namespace"] = ref.ns;
  set_api_defaults(ref.type, document);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) {
    if (!metadata.contains("uid")) metadata["uid"] = "uid-" + std::to_string(++version_);
    if (!metadata.contains("generation")) metadata["generation"] = 1;
  } else {
    const Json& live = found->second.object.json();
    metadata["uid"] = live["metadata"]["uid"];
    metadata["resourceVersion"] = live["metadata"]["resourceVersion"];
    if (document == live) return found->second.object;
    if (document["spec"] != live.value("spec", Json())) {
      metadata["generation"] = live["metadata"].value("generation", 1) + 1;
    }
  }
  if (document["spec"].is_null()) document.erase("spec");
  metadata["resourceVersion"] = std::to_string(++version_);
  writes.push_back(verb + " " + ref.to_string());
  const Object object(std::move(document));
  if (object.being_deleted() && !has_finalizers(object.json())) {
    objects_.erase(ref);
  } else {
    objects_[ref].object = object;
  }
  return object;
}

Result<Object> ApiServer::get(const ObjectRef& ref) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) return not_found(ref);
  return found->second.object;
}

Result<kube::ObjectList> ApiServer::list(const kube::ResourceType& type,
                                         const kube::ListOptions& options) {
  const std::lock_guard lock(mutex_);
  kube::ObjectList result{.items = {}, .resource_version = std::to_string(version_)};
  for (const auto& [ref, stored] : objects_) {
    if (ref.type == type && (options.ns.empty() || ref.ns == options.ns) &&
        kube::matches_selector(stored.object, options.label_selector)) {
      result.items.push_back(stored.object);
    }
  }
  return result;
}

Result<Object> ApiServer::create(const kube::ResourceType& type, const std::string& ns,
                                 const Object& object, const kube::WriteOptions&) {
  const std::lock_guard lock(mutex_);
  const ObjectRef ref{type, ns, std::string(object.name())};
  if (auto error = refused("create", ref)) return std::unexpected(*error);
  if (objects_.contains(ref)) {
    return answer(ErrorKind::kAlreadyExists, ref.to_string() + " already exists");
  }
  return commit("create", ref, object.json());
}

Result<Object> ApiServer::replace(const ObjectRef& ref, const Object& object,
                                  const kube::WriteOptions&) {
  const std::lock_guard lock(mutex_);
  if (auto error = refused("replace", ref)) return std::unexpected(*error);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) return not_found(ref);
  if (contradicts(found->second.object.json(), object.json())) {
    return answer(ErrorKind::kConflict, "the object has been modified");
  }
  return commit("replace", ref, object.json());
}

Result<Object> ApiServer::apply(const ObjectRef& ref, const Json& body,
                                const kube::WriteOptions& options) {
  const auto found = objects_.find(ref);
  const bool fresh = found == objects_.end();
  if (fresh && !options.subresource.empty()) return not_found(ref);
  if (fresh && kube::find_at(body, {"metadata", "uid"}) != nullptr) {
    return answer(ErrorKind::kConflict, "the UID is of an object that is not there");
  }
  if (!fresh && contradicts(found->second.object.json(), body)) {
    return answer(ErrorKind::kInvalid, "the UID is another one's");
  }
  Json document = fresh ? Json::object() : found->second.object.json();
  const std::string manager = options.field_manager + "/" + options.subresource;
  const Json before =
      fresh ? Json::object() : found->second.applied.emplace(manager, Json::object()).first->second;
  if (options.subresource == "status") {
    merge_applied(document["status"], body["status"], before);
  } else {
    merge_applied(document, body, before);
  }
  Object result = commit(fresh ? "create" : "apply", ref, std::move(document));
  if (objects_.contains(ref)) {
    objects_[ref].applied[manager] = options.subresource == "status" ? body["status"] : body;
  }
  return result;
}

Result<Object> ApiServer::patch(const ObjectRef& ref, kube::PatchType type, const Json& body,
                                const kube::WriteOptions& options) {
  const std::lock_guard lock(mutex_);
  if (auto error = refused("patch", ref)) return std::unexpected(*error);
  if (type == kube::PatchType::kApply) return apply(ref, body, options);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) return not_found(ref);
  Json document = found->second.object.json();
  if (type == kube::PatchType::kMerge) {
    document.merge_patch(body);
  } else {
    try {
      document = document.patch(body);
    } catch (const Json::exception&) {  // a failed test, a path that is not there
      return answer(ErrorKind::kInvalid, "the server rejected our request");
    }
  }
  if (contradicts(found->second.object.json(), document)) {
    return answer(ErrorKind::kConflict, "the object has been modified");
  }
  return commit("patch", ref, std::move(document));
}

Result<void> ApiServer::remove(const ObjectRef& ref, const kube::Preconditions& preconditions) {
  const std::lock_guard lock(mutex_);
  if (auto error = refused("delete", ref)) return std::unexpected(*error);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) return not_found(ref);
  const Object& live = found->second.object;
  if ((!preconditions.uid.empty() && preconditions.uid != live.uid()) ||
      (!preconditions.resource_version.empty() &&
       preconditions.resource_version != live.resource_version())) {
    return answer(ErrorKind::kConflict, "a precondition failed");
  }
  if (live.being_deleted()) return {};
  Json document = live.json();
  document["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z";
  commit("delete", ref, std::move(document));
  return {};
}

Result<void> ApiServer::watch(const kube::ResourceType&, const kube::ListOptions&,
                              const std::string&,
                              const std::function<void(const kube::WatchEvent&)>&,
                              std::stop_token) {
  return answer(ErrorKind::kOther, "this API server cannot watch");
}

bool ApiServer::has(const ObjectRef& ref) {
  const std::lock_guard lock(mutex_);
  return objects_.contains(ref);
}

void ApiServer::put(const ObjectRef& ref, Json document) {
  const std::lock_guard lock(mutex_);
  commit("put", ref, std::move(document));
  writes.pop_back();
}

void ApiServer::change(const ObjectRef& ref, const Json& merge) {
  const std::lock_guard lock(mutex_);
  Json document = objects_.at(ref).object.json();
  document.merge_patch(merge);
  const auto before = writes.size();
  commit("change", ref, std::move(document));
  writes.resize(before);
}

void ApiServer::erase(const ObjectRef& ref) {
  const std::lock_guard lock(mutex_);
  objects_.erase(ref);
}

std::vector<ObjectRef> ApiServer::refs() {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectRef> result;
  for (const auto& [ref, stored] : objects_) result.push_back(ref);
  return result;
}

bool ApiServer::collect_garbage() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> living;
  for (const auto& [ref, stored] : objects_) living.emplace_back(stored.object.uid());
  return std::erase_if(objects_, [&](const auto& entry) {
           const std::string owner(entry.second.object.controller_uid());
           // Pods stop by themselves: whoever plays the kubelet lets them.
           return !owner.empty() && entry.first.type != kube::kPods &&
                  std::find(living.begin(), living.end(), owner) == living.end();
         }) > 0;
}

}  // namespace pgc::test
