#include "operator/secret_memo.h"

#include <nlohmann/json.hpp>

namespace pgc {

kube::Result<kube::Object> SecretMemo::get(const kube::ObjectRef& ref) {
  constexpr std::chrono::minutes kFresh{10};
  const auto now = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    const auto found = seen_.find(ref);
    if (found != seen_.end() && now - found->second < kFresh) {
      return kube::Object(kube::Json{{"metadata", {{"name", ref.name}, {"namespace", ref.ns}}}});
    }
  }
  auto secret = reader_.get(ref);
  const std::lock_guard lock(mutex_);
  if (secret) {
    seen_[ref] = now;
  } else {
    seen_.erase(ref);
  }
  return secret;
}

kube::Result<kube::ObjectList> SecretMemo::list(const kube::ResourceType&,
                                                const kube::ListOptions&) {
  return std::unexpected(
      kube::Error{.kind = kube::ErrorKind::kForbidden, .message = "Secrets are read one by one"});
}

void SecretMemo::forget(const std::string& ns) {
  const std::lock_guard lock(mutex_);
  std::erase_if(seen_, [&](const auto& entry) { return entry.first.ns == ns; });
}

}  // namespace pgc
