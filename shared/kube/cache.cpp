#include "shared/kube/cache.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>

namespace pgc::kube {
namespace {

using Kind = Change::Kind;
constexpr std::uint64_t kNewest = std::numeric_limits<std::uint64_t>::max();

std::uint64_t number_of(std::string_view version) {
  std::uint64_t number = 0;
  const char* end = version.data() + version.size();
  const auto [at, error] = std::from_chars(version.data(), end, number);
  return error == std::errc() && at == end ? number : kNewest;
}

// In a string of just that size: there are thousands of them.
std::string packed(const Object& object) {
  thread_local std::string scratch;
  scratch.clear();
  Json::to_cbor(object.json(), nlohmann::detail::output_adapter<char>(scratch));
  return std::string(scratch.data(), scratch.size());
}

Object unpacked(const std::string& bytes) {
  return Object(Json::from_cbor(bytes));
}

// The value that a selector of the form "a=b,c=d" wants of a label.
std::optional<std::string_view> selected(std::string_view selector, std::string_view label) {
  while (!selector.empty()) {
    const auto comma = selector.find(',');
    const std::string_view term = selector.substr(0, comma);
    if (term.size() > label.size() && term.starts_with(label) && term[label.size()] == '=') {
      return term.substr(label.size() + 1);
    }
    selector = comma == std::string_view::npos ? "" : selector.substr(comma + 1);
  }
  return std::nullopt;
}

std::string group_name(std::string_view ns, std::string_view label) {
  return std::string(ns) + "/" + std::string(label);
}

}  // namespace

struct Cache::Group {
  std::string name;
  std::vector<Entry*> members;
};

struct Cache::Entry {
  const ResourceType* type = nullptr;  // the key of its table
  const Name* name = nullptr;          // its key there
  Group* group = nullptr;
  Group* owner = nullptr;
  std::uint64_t version = 0;
  std::uint64_t digest = 0;
  std::int64_t generation = 0;
  bool hidden = false;
  std::string bytes = {};

  std::string group_label() const {
    return group == nullptr ? "" : group->name.substr(name->first.size() + 1);
  }
};

Cache::Cache(CacheOptions options) : options_(std::move(options)) {}
Cache::~Cache() = default;

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

// --- reading ---

Result<Object> Cache::get(const ObjectRef& ref) {
  const std::shared_lock lock(mutex_);
  const auto table = tables_.find(ref.type);
  if (table != tables_.end()) {
    const auto found = table->second.find({ref.ns, ref.name});
    if (found != table->second.end() && !found->second.hidden) {
      return unpacked(found->second.bytes);
    }
  }
  return std::unexpected(not_found_error(ref));
}

Result<ObjectList> Cache::list(const ResourceType& type, const ListOptions& options) {
  ObjectList result;
  const auto take = [&](const Entry& entry) {
    if (entry.hidden) return;
    Object object = unpacked(entry.bytes);
    if (matches_selector(object, options.label_selector)) {
      result.items.push_back(std::move(object));
    }
  };
  const std::shared_lock lock(mutex_);
  const auto table = tables_.find(type);
  if (table == tables_.end()) return result;
  const auto label = selected(options.label_selector, options_.group_label);
  if (label && !options.ns.empty() && !options_.group_label.empty()) {
    const auto group = groups_.find(group_name(options.ns, *label));
    if (group == groups_.end()) return result;
    for (const Entry* entry : group->second.members) {
      if (*entry->type == type) take(*entry);
    }
    std::ranges::sort(result.items, {}, &Object::name);
    return result;
  }
  for (auto at = table->second.lower_bound({options.ns, ""});
       at != table->second.end() && (options.ns.empty() || at->first.first == options.ns); ++at) {
    take(at->second);
  }
  return result;
}

std::vector<std::pair<ResourceType, Object>> Cache::owned_by(const std::string& uid) {
  std::vector<std::pair<ResourceType, Object>> result;
  const std::shared_lock lock(mutex_);
  const auto owner = owners_.find(uid);
  if (owner == owners_.end()) return result;
  for (const Entry* entry : owner->second.members) {
    if (!entry->hidden) result.emplace_back(*entry->type, unpacked(entry->bytes));
  }
  return result;
}

std::map<ResourceType, Cache::Size> Cache::size() const {
  std::map<ResourceType, Size> result;
  const std::shared_lock lock(mutex_);
  for (const auto& [type, table] : tables_) {
    Size& size = result[type];
    size.objects = table.size();
    for (const auto& [name, entry] : table) size.bytes += entry.bytes.size();
  }
  return result;
}

// --- writing ---

Change Cache::put(const ResourceType& type, const Object& object) {
  return store(type, object, From::kWatch);
}

Change Cache::put_listed(const ResourceType& type, const Object& object) {
  return store(type, object, From::kList);
}

void Cache::put_written(const ResourceType& type, const Object& object) {
  store(type, object, From::kWrite);
}

void Cache::reached(const ResourceType& type, const std::string& ns,
                    std::string_view resource_version) {
  const std::uint64_t version = number_of(resource_version);
  const std::unique_lock lock(mutex_);
  reached_[{type, ns}] = version;
}

bool Cache::holds(const ResourceType& type, const Object& object, std::uint64_t version) const {
  const std::shared_lock lock(mutex_);
  const auto table = tables_.find(type);
  if (table == tables_.end()) return false;
  const auto found = table->second.find({std::string(object.ns()), std::string(object.name())});
  return found != table->second.end() && found->second.version == version;
}

// What costs time is done before the lock is taken.
Change Cache::store(const ResourceType& type, const Object& object, From from) {
  const std::uint64_t version = number_of(object.resource_version());
  // As of our own writes, of which the watch tells what their answers have told.
  if (from == From::kWatch && version != kNewest && holds(type, object, version)) return {};
  const std::uint64_t digest = options_.digest(object);
  std::string bytes = packed(object);
  const std::string ns(object.ns());
  const std::string label(options_.group_label.empty() ? "" : object.label(options_.group_label));

  const std::unique_lock lock(mutex_);
  if (from == From::kWrite && !ahead_of_watch_locked(type, ns, version)) return {};
  const auto table = tables_.try_emplace(type).first;
  const auto [at, fresh] = table->second.try_emplace({ns, std::string(object.name())});
  Entry& entry = at->second;
  if (!fresh && from != From::kList && version < entry.version) return {};
  const bool news = fresh || digest != entry.digest;
  Change change{.kind = fresh  ? Kind::kAdded
                        : news ? Kind::kModified
                               : Kind::kNone,
                .ns = ns,
                .name = at->first.second,
                .uid = std::string(object.uid()),
                .group = label,
                .former_group = fresh ? "" : entry.group_label(),
                .spec = fresh || object.generation() != entry.generation};
  entry.type = &table->first;
  entry.name = &at->first;
  if (version != entry.version) entry.hidden = false;
  entry.version = version;
  entry.digest = digest;
  entry.generation = object.generation();
  entry.bytes = std::move(bytes);
  enter_locked(groups_, label.empty() ? "" : group_name(ns, label), &Entry::group, entry);
  enter_locked(owners_, std::string(object.controller_uid()), &Entry::owner, entry);
  if (change.former_group == change.group) change.former_group.clear();
  return change;
}

void Cache::hide(const ObjectRef& ref, const std::string& uid) {
  const std::unique_lock lock(mutex_);
  const auto table = tables_.find(ref.type);
  if (table == tables_.end()) return;
  const auto found = table->second.find({ref.ns, ref.name});
  if (found == table->second.end() || unpacked(found->second.bytes).uid() != uid) return;
  found->second.hidden = true;
}

bool Cache::ahead_of_watch_locked(const ResourceType& type, const std::string& ns,
                                  std::uint64_t version) const {
  auto watch = reached_.find({type, ns});
  if (watch == reached_.end()) watch = reached_.find({type, ""});
  return watch != reached_.end() && version > watch->second;
}

Change Cache::erase(const ResourceType& type, const Object& object) {
  const std::uint64_t version = number_of(object.resource_version());
  const std::unique_lock lock(mutex_);
  const auto table = tables_.find(type);
  if (table == tables_.end()) return {};
  const auto at = table->second.find({std::string(object.ns()), std::string(object.name())});
  if (at == table->second.end() || version < at->second.version) return {};
  return drop_locked(table->second, at);
}

std::vector<Change> Cache::keep_only(const ResourceType& type, const std::string& ns,
                                     const std::set<Name>& listed) {
  std::vector<Change> changes;
  const std::unique_lock lock(mutex_);
  const auto table = tables_.find(type);
  if (table == tables_.end()) return changes;
  for (auto at = table->second.lower_bound({ns, ""});
       at != table->second.end() && (ns.empty() || at->first.first == ns);) {
    const auto here = at++;
    if (!listed.contains(here->first)) changes.push_back(drop_locked(table->second, here));
  }
  return changes;
}

Change Cache::drop_locked(Table& table, Table::iterator at) {
  Entry& entry = at->second;
  Change change{.kind = Kind::kDeleted,
                .ns = at->first.first,
                .name = at->first.second,
                .uid = std::string(unpacked(entry.bytes).uid()),
                .group = entry.group_label(),
                .former_group = {},
                .spec = true};
  leave_locked(groups_, &Entry::group, entry);
  leave_locked(owners_, &Entry::owner, entry);
  table.erase(at);
  return change;
}

void Cache::enter_locked(Index& index, const std::string& name, Group* Entry::* place,
                         Entry& entry) {
  if (entry.*place != nullptr && (entry.*place)->name == name) return;
  leave_locked(index, place, entry);
  if (name.empty()) return;
  Group& group = index[name];
  group.name = name;
  group.members.push_back(&entry);
  entry.*place = &group;
}

void Cache::leave_locked(Index& index, Group* Entry::* place, Entry& entry) {
  Group* group = std::exchange(entry.*place, nullptr);
  if (group == nullptr) return;
  std::erase(group->members, &entry);
  if (group->members.empty()) index.erase(std::string(group->name));
}

}  // namespace pgc::kube
