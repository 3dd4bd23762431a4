// Reading and writing objects; watches are in api_watch.cpp, the collector in api_garbage.cpp.
#include "tests/support/api_server.h"

#include "shared/x509/base64.h"
#include "tests/support/api_answer.h"
#include "tests/support/api_defaults.h"
#include "tests/support/api_patch.h"
#include "tests/support/api_rules.h"

namespace pgc::test {
namespace {

using kube::Error;
using kube::Json;
using kube::Object;
using kube::ObjectRef;
using kube::Result;

constexpr const char* kNow = "2026-01-31T12:00:00Z";

// Data that is written as text is stored as bytes.
void take_string_data(Json& document) {
  if (!document.contains("stringData")) return;
  for (const auto& [key, text] : document["stringData"].items()) {
    document["data"][key] = x509::to_base64(text.get<std::string>());
  }
  document.erase("stringData");
}

std::unexpected<Error> no_such_type(const kube::ResourceType& type) {
  return not_implemented("resource " + std::string(type.plural));
}

std::unexpected<Error> no_such_subresource(const ObjectRef& ref, const std::string& subresource) {
  return not_implemented("subresource " + subresource + " of " + std::string(ref.type.plural));
}

bool knows_subresource(const ApiType& type, const std::string& subresource) {
  return subresource.empty() || (subresource == "status" && type.has_status) ||
         (subresource == "scale" && type.scales);
}

std::string stated(const Json& document, const char* field) {
  return std::string(kube::string_at(document, {"metadata", field}));
}

std::optional<Error> wrong_name(const ObjectRef& ref, const Json& document) {
  const std::string name = stated(document, "name");
  if (!name.empty() && name != ref.name) {
    return answer(400, "BadRequest",
                  "the name of the object (" + name + ") does not match the name on the URL (" +
                      ref.name + ")")
        .error();
  }
  const std::string ns = stated(document, "namespace");
  if (!ns.empty() && ns != ref.ns) {
    return answer(400, "BadRequest",
                  "the namespace of the provided object does not match the namespace sent on the "
                  "request")
        .error();
  }
  return std::nullopt;
}

std::optional<Error> old_version(const ObjectRef& ref, const Object& live, const Json& document) {
  const std::string version = stated(document, "resourceVersion");
  if (version.empty() || version == live.resource_version()) return std::nullopt;
  return conflict(ref, kModified).error();
}

Manager updater(const ObjectRef& ref, const kube::WriteOptions& options) {
  return {.name = options.field_manager.empty() ? "unknown" : options.field_manager,
          .operation = Operation::kUpdate,
          .subresource = options.subresource,
          .api_version = ref.type.api_version()};
}

Manager applier(const ObjectRef& ref, const kube::WriteOptions& options) {
  return {.name = options.field_manager,
          .operation = Operation::kApply,
          .subresource = options.subresource,
          .api_version = ref.type.api_version()};
}

}  // namespace

std::optional<Error> ApiServer::refused(const std::string& verb, const ObjectRef& ref) {
  return fault ? fault(verb + " " + ref.to_string()) : std::nullopt;
}

// Of a custom object's status nothing but the status is looked at: a UID there protects nothing.
std::optional<Error> ApiServer::uid_is_fixed(const Write& write, const Object& live,
                                             const Json& document) {
  const std::string uid = stated(document, "uid");
  const bool ignored = write.options.subresource == "status" && write.type.custom;
  if (ignored || uid.empty() || uid == live.uid()) return std::nullopt;
  const kube::Cause cause{"metadata.uid", "Invalid value: \"" + uid + "\": field is immutable"};
  return invalid(write.ref, {cause}).error();
}

Result<Object> ApiServer::get(const ObjectRef& ref) {
  const std::lock_guard lock(mutex_);
  if (find_api_type(ref.type) == nullptr) return no_such_type(ref.type);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) return not_found(ref);
  return found->second.object;
}

Result<kube::ObjectList> ApiServer::list(const kube::ResourceType& type,
                                         const kube::ListOptions& options) {
  const std::lock_guard lock(mutex_);
  if (find_api_type(type) == nullptr) return no_such_type(type);
  if (!understands(options)) return not_implemented("selector like this");
  kube::ObjectList result{.items = {}, .resource_version = std::to_string(version_)};
  for (auto at = objects_.lower_bound({type, options.ns, ""});
       at != objects_.end() && at->first.type == type; ++at) {
    if (!options.ns.empty() && at->first.ns != options.ns) break;
    const Object& object = at->second.object;
    if (covers(options, object)) result.items.push_back(shown(object, options));
  }
  return result;
}

Result<Object> ApiServer::create(const kube::ResourceType& type, const std::string& ns,
                                 const Object& object, const kube::WriteOptions& options) {
  const std::lock_guard lock(mutex_);
  const ApiType* known = find_api_type(type);
  if (known == nullptr) return no_such_type(type);
  Json document = object.json();
  ObjectRef ref{type, ns, std::string(object.name())};
  if (ref.name.empty()) {
    const std::string prefix = stated(document, "generateName");
    if (prefix.empty()) {
      return invalid(ref, {{"metadata.name", "Required value: name or generateName is required"}});
    }
    ref.name = prefix + std::to_string(version_ + 10'000);
  }
  if (auto error = refused("create", ref)) return std::unexpected(*error);
  if (auto error = wrong_name(ref, document)) return std::unexpected(*error);
  if (!stated(document, "resourceVersion").empty()) {
    return answer(500, "", "resourceVersion should not be set on objects to be created");
  }
  const Write write{"create", ref, *known, options};
  return insert(write, std::move(document), std::nullopt);
}

// Without `managers` everything is the writer's.
Result<Object> ApiServer::insert(const Write& write, Json document,
                                 std::optional<Managers> managers) {
  if (const auto found = objects_.find(write.ref); found != objects_.end()) {
    return already_exists(write.ref, found->second.object.being_deleted());
  }
  take_string_data(document);
  prepare_new(write.type, write.ref, kNow, document);
  set_api_defaults(write.ref.type, document);  // whoever creates it has those, too
  if (!managers) {
    managers.emplace();
    update_managers(*managers, Json::object(), document, updater(write.ref, write.options));
  }
  for (auto& [who, fields] : *managers) fields.erase(".spec");  // an empty one is nobody's
  std::erase_if(*managers, [](const auto& entry) { return entry.second.empty(); });
  Json& metadata = document["metadata"];
  metadata["name"] = write.ref.name;
  if (write.ref.type.namespaced) metadata["namespace"] = write.ref.ns;
  metadata["uid"] = "uid-" + std::to_string(version_ + 1);
  if (write.options.dry_run) return Object(std::move(document));
  return commit(write.verb, write.ref, std::move(document), *std::move(managers));
}

Result<Object> ApiServer::replace(const ObjectRef& ref, const Object& object,
                                  const kube::WriteOptions& options) {
  const std::lock_guard lock(mutex_);
  const ApiType* type = find_api_type(ref.type);
  if (type == nullptr) return no_such_type(ref.type);
  if (!knows_subresource(*type, options.subresource)) {
    return no_such_subresource(ref, options.subresource);
  }
  if (auto error = refused("replace", ref)) return std::unexpected(*error);
  if (auto error = wrong_name(ref, object.json())) return std::unexpected(*error);
  const Write write{"replace", ref, *type, options};
  const auto found = objects_.find(ref);
  if (found == objects_.end()) {
    if (!type->creates_on_put || !options.subresource.empty()) return not_found(ref);
    if (!object.uid().empty()) return conflict(ref, "Precondition failed: there is no such UID");
    return insert({"create", ref, *type, options}, object.json(), std::nullopt);
  }
  const Object& live = found->second.object;
  if (!object.uid().empty() && object.uid() != live.uid()) {
    return conflict(ref, "Precondition failed: UID in precondition: " + std::string(object.uid()) +
                             ", UID in object meta: " + std::string(live.uid()));
  }
  if (auto error = old_version(ref, live, object.json())) return std::unexpected(*error);
  if (options.subresource == "scale") return scale(write, found->second, object.json());
  if (type->needs_version && object.resource_version().empty()) {
    return invalid(
        ref, {{"metadata.resourceVersion", "Invalid value: 0: must be specified for an update"}});
  }
  return update(write, found->second, object.json());
}

Result<Object> ApiServer::patch(const ObjectRef& ref, kube::PatchType type, const Json& body,
                                const kube::WriteOptions& options) {
  const std::lock_guard lock(mutex_);
  const ApiType* known = find_api_type(ref.type);
  if (known == nullptr) return no_such_type(ref.type);
  if (!knows_subresource(*known, options.subresource)) {
    return no_such_subresource(ref, options.subresource);
  }
  if (auto error = refused("patch", ref)) return std::unexpected(*error);
  const Write write{"patch", ref, *known, options};
  if (type == kube::PatchType::kApply) return apply(write, body);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) return not_found(ref);
  const Stored live = found->second;
  const bool scales = options.subresource == "scale";
  auto document = patched(scales ? scale_of(live.object) : live.object.json(), type, body);
  if (!document) return std::unexpected(document.error());
  if (auto error = wrong_name(ref, *document)) return std::unexpected(*error);
  if (auto error = old_version(ref, live.object, *document)) return std::unexpected(*error);
  if (auto error = uid_is_fixed(write, live.object, *document)) return std::unexpected(*error);
  if (scales) return scale(write, live, *document);
  return update(write, live, *std::move(document));
}

Result<Object> ApiServer::apply(const Write& write, const Json& body) {
  const auto& [verb, ref, type, options] = write;
  if (options.subresource == "scale") return not_implemented("apply of a scale");
  if (options.field_manager.empty()) {
    return invalid({ref.type, "", ""},
                   {{"fieldManager", "Required value: is required for apply patch"}});
  }
  if (auto error = wrong_name(ref, body)) return std::unexpected(*error);
  const Manager who = applier(ref, options);
  Json config = body;
  take_string_data(config);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) {
    if (!options.subresource.empty()) return not_found(ref);
    if (const std::string uid = stated(body, "uid"); !uid.empty()) {
      return conflict(ref, "uid mismatch: the provided object specified uid " + uid +
                               ", and no existing object was found");
    }
    return insert({"create", ref, type, options}, config, Managers{{who, fields_of(config)}});
  }
  const Stored live = found->second;
  if (!options.subresource.empty()) {
    config = {{"status", body.value("status", Json::object())}};
  } else if (type.has_status) {
    config.erase("status");
  }
  Managers managers = live.managers;
  if (managers.empty()) {
    managers[{"before-first-apply", Operation::kUpdate, "", ref.type.api_version()}] =
        fields_of(live.object.json());
  }
  auto applied = test::apply(live.object.json(), managers, config, who, options.force);
  if (!applied) return std::unexpected(applied.error());
  if (auto error = old_version(ref, live.object, body)) return std::unexpected(*error);
  if (auto error = uid_is_fixed(write, live.object, body)) return std::unexpected(*error);
  return update({"apply", ref, type, options}, live, std::move(applied->document),
                std::move(applied->managers));
}

// Without `managers` they follow from what differs.
Result<Object> ApiServer::update(const Write& write, const Stored& live, Json document,
                                 std::optional<Managers> managers) {
  const Json& before = live.object.json();
  take_string_data(document);
  keep_what_is_not_written(write.type, before, write.options.subresource, document);
  set_api_defaults(write.ref.type, document);
  if (!managers) {
    managers = live.managers;
    // What nobody owns anything of stays so until somebody applies to it.
    if (!managers->empty())
      update_managers(*managers, before, document, updater(write.ref, write.options));
  }
  count_generation(write.type, before, document);
  if (auto error = refusal_of_change(write.ref, before, document)) return std::unexpected(*error);
  if (document == before && *managers == live.managers) return live.object;
  if (write.options.dry_run) return Object(std::move(document));
  return commit(write.verb, write.ref, std::move(document), *std::move(managers));
}

// A scale takes the replicas from whoever has them; where nobody has, nobody gets them.
Result<Object> ApiServer::scale(const Write& write, const Stored& live, const Json& scale) {
  Json document = live.object.json();
  document["spec"]["replicas"] = kube::int_at(scale, {"spec", "replicas"});
  Managers managers = live.managers;
  if (document != live.object.json()) {
    std::size_t owners = 0;
    for (auto& [manager, fields] : managers) owners += fields.erase(".spec.replicas");
    if (owners > 0) managers[updater(write.ref, write.options)].insert(".spec.replicas");
    std::erase_if(managers, [](const auto& entry) { return entry.second.empty(); });
  }
  auto written = update(write, live, std::move(document), std::move(managers));
  if (!written) return written;
  return Object(scale_of(*written));
}

// The document as it is to be stored; it ends where nothing holds it any more.
Object ApiServer::commit(const std::string& verb, const ObjectRef& ref, Json document,
                         Managers managers) {
  const auto found = objects_.find(ref);
  std::optional<Object> before;
  if (found != objects_.end()) before = found->second.object;
  document["metadata"]["resourceVersion"] = std::to_string(++version_);
  writes.push_back(verb + " " + ref.to_string());
  const Object object(std::move(document));
  if (object.being_deleted() && !has_finalizers(object.json())) {
    objects_.erase(ref);
    happened(ref, before ? before : object, std::nullopt);
  } else {
    objects_[ref] = {object, std::move(managers)};
    happened(ref, before, object);
  }
  return object;
}

void ApiServer::happened(const ObjectRef& ref, std::optional<Object> before,
                         std::optional<Object> after) {
  history_.add({version_, ref.type, std::move(before), std::move(after)});
  news_.notify_all();
}

Result<void> ApiServer::remove(const ObjectRef& ref, const kube::Preconditions& preconditions) {
  const std::lock_guard lock(mutex_);
  if (find_api_type(ref.type) == nullptr) return no_such_type(ref.type);
  if (auto error = refused("delete", ref)) return std::unexpected(*error);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) return not_found(ref);
  const Object live = found->second.object;
  const auto mismatch = [&](const std::string& what, const std::string& wanted,
                            std::string_view is) {
    return conflict(ref, "the " + what + " in the precondition (" + wanted +
                             ") does not match the " + what + " in record (" + std::string(is) +
                             ")");
  };
  if (!preconditions.uid.empty() && preconditions.uid != live.uid()) {
    return mismatch("UID", preconditions.uid, live.uid());
  }
  if (!preconditions.resource_version.empty() &&
      preconditions.resource_version != live.resource_version()) {
    return mismatch("ResourceVersion", preconditions.resource_version, live.resource_version());
  }
  if (live.being_deleted()) return {};
  end(ref);
  return {};
}

// At once, or when its last finalizer has gone.
void ApiServer::end(const ObjectRef& ref) {
  const Stored live = objects_.at(ref);
  Json document = live.object.json();
  Json& metadata = document["metadata"];
  metadata["deletionTimestamp"] = kNow;
  metadata["deletionGracePeriodSeconds"] = 0;
  if (const auto generation = live.object.generation(); generation > 0) {
    metadata["generation"] = generation + 1;
  }
  commit("delete", ref, std::move(document), live.managers);
}

// --- for tests ---

bool ApiServer::has(const ObjectRef& ref) {
  const std::lock_guard lock(mutex_);
  return objects_.contains(ref);
}

void ApiServer::put_document(const std::string& verb, const ObjectRef& ref, Json document) {
  take_string_data(document);
  document["apiVersion"] = ref.type.api_version();
  document["kind"] = ref.type.kind;
  Json& metadata = document["metadata"];
  metadata["name"] = ref.name;
  if (ref.type.namespaced) metadata["namespace"] = ref.ns;
  set_api_defaults(ref.type, document);
  const auto found = objects_.find(ref);
  Managers managers;
  if (found == objects_.end()) {
    if (!metadata.contains("uid")) metadata["uid"] = "uid-" + std::to_string(version_ + 1);
    if (!metadata.contains("generation")) metadata["generation"] = 1;
  } else {
    const Json& live = found->second.object.json();
    metadata["uid"] = live["metadata"]["uid"];
    metadata["resourceVersion"] = live["metadata"]["resourceVersion"];
    if (document == live) return;
    if (document.value("spec", Json()) != live.value("spec", Json())) {
      metadata["generation"] = live["metadata"].value("generation", 1) + 1;
    }
    managers = found->second.managers;
    update_managers(managers, live, document, updater(ref, {.field_manager = "somebody"}));
  }
  commit(verb, ref, std::move(document), std::move(managers));
  writes.pop_back();
}

void ApiServer::put(const ObjectRef& ref, Json document) {
  const std::lock_guard lock(mutex_);
  put_document("put", ref, std::move(document));
}

void ApiServer::change(const ObjectRef& ref, const Json& merge) {
  const std::lock_guard lock(mutex_);
  Json document = objects_.at(ref).object.json();
  document.merge_patch(merge);
  put_document("change", ref, std::move(document));
}

void ApiServer::erase(const ObjectRef& ref) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(ref);
  if (found == objects_.end()) return;
  const Object before = found->second.object;
  objects_.erase(found);
  ++version_;
  happened(ref, before, std::nullopt);
}

std::vector<ObjectRef> ApiServer::refs() {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectRef> result;
  for (const auto& [ref, stored] : objects_) result.push_back(ref);
  return result;
}

std::int64_t ApiServer::version() {
  const std::lock_guard lock(mutex_);
  return version_;
}

Managers ApiServer::managers(const ObjectRef& ref) {
  const std::lock_guard lock(mutex_);
  return objects_.at(ref).managers;
}

}  // namespace pgc::test
