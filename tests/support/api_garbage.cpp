// The garbage collector of the in-memory API server, one sweep at a time.
// https://kubernetes.io/docs/concepts/architecture/garbage-collection/
#include <set>

#include "tests/support/api_server.h"

namespace pgc::test {
namespace {

using kube::Json;

// All its owners are gone, and it had one.
bool is_garbage(const kube::Object& object, const std::set<std::string, std::less<>>& living) {
  const Json* owners = kube::find_at(object.json(), {"metadata", "ownerReferences"});
  if (owners == nullptr || owners->empty()) return false;
  for (const Json& owner : *owners) {
    if (living.contains(kube::string_at(owner, {"uid"}))) return false;
  }
  return true;
}

}  // namespace

bool ApiServer::collect_garbage() {
  const std::lock_guard lock(mutex_);
  std::set<std::string, std::less<>> living;
  for (const auto& [ref, stored] : objects_) living.emplace(stored.object.uid());
  std::vector<kube::ObjectRef> garbage;
  for (const auto& [ref, stored] : objects_) {
    // Pods stop by themselves: whoever plays the kubelet lets them.
    if (ref.type == kube::kPods || stored.object.being_deleted()) continue;
    if (is_garbage(stored.object, living)) garbage.push_back(ref);
  }
  for (const kube::ObjectRef& ref : garbage) {
    end(ref);
    writes.pop_back();
  }
  return !garbage.empty();
}

}  // namespace pgc::test
