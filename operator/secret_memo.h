// Remembers which Secrets exist, so that they are read when it matters and not at every turn; the
// operator may neither list nor watch Secrets.
#pragma once

#include <chrono>
#include <map>
#include <mutex>

#include "shared/kube/client.h"

namespace pgc {

// Safe from several threads.
class SecretMemo final : public kube::Reader {
 public:
  explicit SecretMemo(kube::Reader& reader) : reader_(reader) {}

  // An object with the name alone where the Secret was there within the last ten minutes.
  kube::Result<kube::Object> get(const kube::ObjectRef& ref) override;
  // Not for Secrets: always kForbidden.
  kube::Result<kube::ObjectList> list(const kube::ResourceType& type,
                                      const kube::ListOptions& options) override;

  // The next get of any Secret of the namespace reads it anew.
  void forget(const std::string& ns);

 private:
  using Clock = std::chrono::steady_clock;

  kube::Reader& reader_;
  std::mutex mutex_;
  std::map<kube::ObjectRef, Clock::time_point> seen_;  // guarded by mutex_
};

}  // namespace pgc
