// Carries out a plan: the only place where the operator writes for a cluster.
#pragma once

#include <chrono>
#include <functional>

#include "shared/kube/client.h"
#include "shared/log/log.h"
#include "shared/reconcile/plan.h"

namespace pgc {

inline constexpr const char* kFieldManager = "pgc-operator";
inline constexpr const char* kStatusManager = "pgc-operator-status";

class Executor {
 public:
  // `known` answers at once, and may be behind. All must outlive it. Safe from several threads.
  Executor(kube::Client& client, kube::Reader& known, const Log& log)
      : client_(client), known_(known), log_(log) {}

  // Does the actions in order and stops at the first that fails; what it leaves undone the next
  // plan asks for again. A generated Secret that is there already and an object to delete that is
  // gone are no failures. An object that has become another since is a kConflict, and left alone.
  // `done` is called after each action that has gone through.
  using Done = std::function<void(const reconcile::Action&)>;
  kube::Result<void> run(const std::vector<reconcile::Action>& actions,
                         std::chrono::sys_seconds now, const Done& done = {});

  // Nothing is written where the cluster is gone; where it is another one by now, it is a
  // kConflict.
  kube::Result<void> write_status(const kube::Object& status);

 private:
  kube::Result<void> perform(const reconcile::Apply& action, std::chrono::sys_seconds now);
  kube::Result<void> perform(const reconcile::GeneratePassword& action,
                             std::chrono::sys_seconds now);
  kube::Result<void> perform(const reconcile::GenerateAuthority& action,
                             std::chrono::sys_seconds now);
  kube::Result<void> perform(const reconcile::GenerateServerCertificate& action,
                             std::chrono::sys_seconds now);
  kube::Result<void> perform(const reconcile::Patch& action, std::chrono::sys_seconds now);
  kube::Result<void> perform(const reconcile::Delete& action, std::chrono::sys_seconds now);
  kube::Result<void> create(const reconcile::Apply& action);
  kube::Result<void> apply(const reconcile::Apply& action, const kube::Json& body);
  kube::Error lost_race(const reconcile::Apply& action, kube::Error error);
  kube::Result<void> write_status_of(kube::Reader& reader, const kube::Object& status);
  kube::Result<void> create_secret(const kube::ObjectRef& secret, kube::Json document);

  kube::Client& client_;
  kube::Reader& known_;
  const Log& log_;
};

}  // namespace pgc
