// The last known state of some resource types, kept up to date by reflectors and read by everybody.
//
// Safe from several threads. Reads never block on the network and never fail but with kNotFound;
// they may be behind the API server, so whatever is written from them carries a UID or a
// resourceVersion.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "shared/kube/client.h"

namespace pgc::kube {

// `before` is null for a new object, `after` for one that is gone.
struct Change {
  std::optional<Object> before;
  std::optional<Object> after;
};

class Cache final : public Reader {
 public:
  Result<Object> get(const ObjectRef& ref) override;
  // Label selectors of the form "a=b,c=d" only; no field selectors. resource_version stays empty.
  Result<ObjectList> list(const ResourceType& type, const ListOptions& options) override;

  // Makes `objects` all there is of a type, and tells what that changed.
  std::vector<Change> replace_all(const ResourceType& type, const std::vector<Object>& objects);
  Change put(const ResourceType& type, const Object& object);
  Change erase(const ResourceType& type, const Object& object);

 private:
  std::mutex mutex_;
  std::map<ObjectRef, Object> objects_;  // guarded by mutex_
};

// True where the object carries every label of a selector of the form "a=b,c=d".
bool matches_selector(const Object& object, std::string_view selector);

}  // namespace pgc::kube
