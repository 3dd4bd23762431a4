// The last known state of some resource types, kept up to date by reflectors and read by everybody.
//
// Thousands of objects rest in it and few are read at a time, so each is held as CBOR (RFC 8949), a
// few times smaller than a tree of values, and decoded when it is read. In the clear stands only
// what an object is found by.
//
// States are compared by resourceVersion where both are decimal numbers, as those of one type
// always are (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions); an
// other one counts as newer than all.
//
// Safe from several threads. Reads never block on the network and never fail but with kNotFound;
// they may be behind the API server, so whatever is written from them carries a UID or a
// resourceVersion.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared/kube/client.h"
#include "shared/kube/digest.h"

namespace pgc::kube {

struct CacheOptions {
  // A label that many objects share with few others, as those of one application do: a list of a
  // namespace that selects by it goes by an index. Empty: no such label.
  std::string group_label = {};
  // Equal for two states of an object where nobody need look at the newer one.
  std::function<std::uint64_t(const Object&)> digest = digest_of;
};

// What has become of one object.
struct Change {
  enum class Kind { kNone, kAdded, kModified, kDeleted };

  Kind kind = Kind::kNone;  // kNone: nothing, it is as it was but for its digest's blind spots
  std::string ns = {};
  std::string name = {};
  std::string uid = {};
  std::string group = {};         // value of the group label; of a deleted object the last one
  std::string former_group = {};  // the value before, where it was another one
  bool spec = false;              // metadata.generation has changed, or the object came or went

  explicit operator bool() const { return kind != Kind::kNone; }
};

class Cache final : public Reader {
 public:
  explicit Cache(CacheOptions options = {});
  ~Cache() override;

  Result<Object> get(const ObjectRef& ref) override;
  // By name. Label selectors of the form "a=b,c=d" only; no field selectors, `keep` is not looked
  // at. resource_version stays empty.
  Result<ObjectList> list(const ResourceType& type, const ListOptions& options) override;
  // Objects of any type whose controller has this UID.
  std::vector<std::pair<ResourceType, Object>> owned_by(const std::string& uid);

  // An event of a watch. One that is older than what is held is passed over: a restarted or lagging
  // API server may tell the past again, and what has been seen to happen is not taken back.
  Change put(const ResourceType& type, const Object& object);
  Change erase(const ResourceType& type, const Object& object);

  // An item of a full list. The list is the truth, also where it is older, as after the restore of
  // a backup of etcd.
  Change put_listed(const ResourceType& type, const Object& object);
  // The end of a full list of `ns` (empty: of all namespaces): what is not in it is gone.
  using Name = std::pair<std::string, std::string>;  // namespace, name
  std::vector<Change> keep_only(const ResourceType& type, const std::string& ns,
                                const std::set<Name>& listed);

  // How far the watch of `ns` (empty: of all namespaces) has come.
  void reached(const ResourceType& type, const std::string& ns, std::string_view resource_version);
  // What the API server has answered to a write of ours: reads see it without waiting for the
  // watch. Passed over where the watch has come that far, for it may have told of the object's end.
  void put_written(const ResourceType& type, const Object& object);
  // The API server has accepted our deletion of the object with this UID: reads no longer see it,
  // until the watch tells something newer about it, as that it lingers with a finalizer.
  void hide(const ObjectRef& ref, const std::string& uid);

  struct Size {
    std::size_t objects = 0;
    std::size_t bytes = 0;  // of their CBOR
  };
  std::map<ResourceType, Size> size() const;

 private:
  struct Group;
  struct Entry;
  using Table = std::map<Name, Entry>;
  using Index = std::unordered_map<std::string, Group>;

  enum class From { kWatch, kList, kWrite };
  Change store(const ResourceType& type, const Object& object, From from);
  bool holds(const ResourceType& type, const Object& object, std::uint64_t version) const;
  bool ahead_of_watch_locked(const ResourceType& type, const std::string& ns,
                             std::uint64_t version) const;
  Change drop_locked(Table& table, Table::iterator at);
  void enter_locked(Index& index, const std::string& name, Group* Entry::* place, Entry& entry);
  void leave_locked(Index& index, Group* Entry::* place, Entry& entry);

  const CacheOptions options_;
  mutable std::shared_mutex mutex_;
  // All guarded by mutex_.
  std::map<ResourceType, Table> tables_;
  Index groups_;  // by namespace and value of the group label
  Index owners_;  // by UID of the controller
  std::map<std::pair<ResourceType, std::string>, std::uint64_t> reached_;  // by type and namespace
};

// True where the object carries every label of a selector of the form "a=b,c=d".
bool matches_selector(const Object& object, std::string_view selector);

}  // namespace pgc::kube
