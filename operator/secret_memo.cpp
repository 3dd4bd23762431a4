#include "operator/secret_memo.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pgc {

using kube::Object;
using kube::Result;

Result<Object> SecretMemo::get(const kube::ObjectRef& ref) {
  constexpr std::chrono::minutes kAbsent{1};
  if (const auto known = remembered({ref.ns, ref.name})) {
    if (!known->there) return std::unexpected(kube::not_found_error(ref));
    return Object(kube::Json{{"metadata", {{"name", ref.name}, {"namespace", ref.ns}}}});
  }
  auto secret = reader_.get(ref);
  if (secret) {
    saw(ref.ns, ref.name);
  } else if (secret.error().is(kube::ErrorKind::kNotFound)) {
    remember({ref.ns, ref.name}, false, kAbsent);
  }
  return secret;
}

std::optional<SecretMemo::Known> SecretMemo::remembered(const Name& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(name);
  if (found == memory_.end() || clock_() >= found->second.good_until) return std::nullopt;
  return found->second;
}

void SecretMemo::remember(const Name& name, bool there, std::chrono::seconds span) {
  const std::lock_guard lock(mutex_);
  memory_[name] = {.good_until = clock_() + span, .there = there};
}

Result<kube::ObjectList> SecretMemo::list(const kube::ResourceType&, const kube::ListOptions&) {
  return std::unexpected(
      kube::Error{.kind = kube::ErrorKind::kForbidden, .message = "Secrets are read one by one"});
}

void SecretMemo::saw(const std::string& ns, const std::string& name) {
  constexpr std::chrono::seconds kShortest{8 * 60};
  constexpr double kSpread = 4 * 60;
  const std::chrono::seconds more(static_cast<long long>(kSpread * random_()));
  remember({ns, name}, true, kShortest + more);
}

bool SecretMemo::of_cluster(const Name& name, const ClusterKey& key) {
  return name.first == key.ns && name.second.starts_with(key.name + "-");
}

void SecretMemo::forget(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  auto at = memory_.lower_bound({key.ns, key.name + "-"});
  while (at != memory_.end() && of_cluster(at->first, key)) at = memory_.erase(at);
}

std::optional<SecretMemo::TimePoint> SecretMemo::good_until(const ClusterKey& key) const {
  const std::lock_guard lock(mutex_);
  std::optional<TimePoint> first;
  for (auto at = memory_.lower_bound({key.ns, key.name + "-"});
       at != memory_.end() && of_cluster(at->first, key); ++at) {
    const auto& [until, there] = at->second;
    if (there) first = std::min(first.value_or(until), until);
  }
  return first;
}

std::set<std::string> SecretMemo::known(const ClusterKey& key) const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> names;
  for (auto at = memory_.lower_bound({key.ns, key.name + "-"});
       at != memory_.end() && of_cluster(at->first, key); ++at) {
    if (at->second.there) names.insert(at->first.second);
  }
  return names;
}

}  // namespace pgc
