#include "shared/kube/cache.h"

#include <algorithm>

namespace pgc::kube {
namespace {

ObjectRef ref_of(const ResourceType& type, const Object& object) {
  return {type, std::string(object.ns()), std::string(object.name())};
}

// The first place that an object of this type, and of this namespace where one is given, can have.
ObjectRef lower_end(const ResourceType& type, const std::string& ns) {
  return {type, ns, ""};
}

}  // namespace

bool matches_selector(const Object& object, std::string_view selector) {
  while (!selector.empty()) {
    const auto comma = selector.find(',');
    const std::string_view term = selector.substr(0, comma);
    const auto equals = term.find('=');
    if (equals == std::string_view::npos) return false;
    if (object.label(term.substr(0, equals)) != term.substr(equals + 1)) return false;
    selector = comma == std::string_view::npos ? "" : selector.substr(comma + 1);
  }
  return true;
}

Result<Object> Cache::get(const ObjectRef& ref) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(ref);
  if (found != objects_.end()) return found->second;
  return std::unexpected(Error{.kind = ErrorKind::kNotFound,
                               .message = ref.to_string() + " not found",
                               .code = 404,
                               .reason = "NotFound"});
}

Result<ObjectList> Cache::list(const ResourceType& type, const ListOptions& options) {
  ObjectList result;
  const std::lock_guard lock(mutex_);
  for (auto at = objects_.lower_bound(lower_end(type, options.ns));
       at != objects_.end() && at->first.type == type &&
       (options.ns.empty() || at->first.ns == options.ns);
       ++at) {
    if (matches_selector(at->second, options.label_selector)) result.items.push_back(at->second);
  }
  return result;
}

std::vector<Change> Cache::replace_all(const ResourceType& type,
                                       const std::vector<Object>& objects) {
  std::map<ObjectRef, Object> fresh;
  for (const Object& object : objects) fresh.emplace(ref_of(type, object), object);
  std::vector<Change> changes;
  const std::lock_guard lock(mutex_);
  for (auto at = objects_.lower_bound(lower_end(type, ""));
       at != objects_.end() && at->first.type == type;) {
    const auto found = fresh.find(at->first);
    if (found == fresh.end()) {
      changes.push_back({at->second, std::nullopt});
      at = objects_.erase(at);
      continue;
    }
    if (found->second.resource_version() != at->second.resource_version()) {
      changes.push_back({at->second, found->second});
      at->second = found->second;
    }
    fresh.erase(found);
    ++at;
  }
  for (auto& [ref, object] : fresh) {
    changes.push_back({std::nullopt, object});
    objects_.emplace(ref, object);
  }
  return changes;
}

Change Cache::put(const ResourceType& type, const Object& object) {
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = objects_.try_emplace(ref_of(type, object), object);
  if (fresh) return {std::nullopt, object};
  Change change{at->second, object};
  at->second = object;
  return change;
}

Change Cache::erase(const ResourceType& type, const Object& object) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(ref_of(type, object));
  if (found == objects_.end()) return {};
  Change change{found->second, std::nullopt};
  objects_.erase(found);
  return change;
}

}  // namespace pgc::kube
