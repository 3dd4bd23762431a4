#include "tests/support/view.h"

#include <algorithm>

namespace pgc::test {

using kube::Object;
using kube::ObjectRef;

kube::Result<Object> View::get(const ObjectRef& ref) {
  const auto found = objects_.find(ref);
  if (found != objects_.end()) return found->second;
  return std::unexpected(kube::not_found_error(ref));
}

kube::Result<kube::ObjectList> View::list(const kube::ResourceType& type,
                                          const kube::ListOptions& options) {
  kube::ObjectList result;
  for (auto at = objects_.lower_bound({type, options.ns, ""});
       at != objects_.end() && at->first.type == type; ++at) {
    if (covers(options, at->second)) result.items.push_back(at->second);
  }
  return result;
}

void View::take(const Happening& happening) {
  const Object& object = happening.after ? *happening.after : *happening.before;
  const ObjectRef ref{happening.type, std::string(object.ns()), std::string(object.name())};
  if (happening.after) {
    objects_.insert_or_assign(ref, *happening.after);
  } else {
    objects_.erase(ref);
  }
}

void View::catch_up() {
  while (const auto happening = server_.happened_after(seen_)) {
    seen_ = happening->version;
    const auto ahead = further_.find(happening->type);
    if (ahead == further_.end() || ahead->second < seen_) take(*happening);
  }
  further_.clear();
}

bool View::step(const kube::ResourceType& type) {
  std::int64_t version = seen_;
  if (const auto ahead = further_.find(type); ahead != further_.end()) {
    version = std::max(version, ahead->second);
  }
  while (const auto happening = server_.happened_after(version)) {
    version = happening->version;
    if (happening->type != type) continue;
    take(*happening);
    further_[type] = version;
    return true;
  }
  return false;
}

void View::go_back(std::int64_t version) {
  objects_.clear();
  further_.clear();
  seen_ = 0;
  while (const auto happening = server_.happened_after(seen_)) {
    if (happening->version > version) break;
    seen_ = happening->version;
    take(*happening);
  }
}

}  // namespace pgc::test
