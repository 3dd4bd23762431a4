// One turn of one cluster: observe -> plan -> execute. No thread and no queue: the manager calls
// it, and so do tests that want every order of things.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "operator/events.h"
#include "operator/execute.h"
#include "operator/work_queue.h"
#include "shared/kube/client.h"
#include "shared/log/log.h"
#include "shared/observe/observe.h"
#include "shared/reconcile/settings.h"

namespace pgc {

// What is to become of a key after a turn.
struct Outcome {
  enum class Kind {
    kDone,    // it rests until something changes
    kFailed,  // come again, later each time
    kGone,    // there is no such cluster
  };
  Kind kind = Kind::kDone;
  bool at_once = false;   // come again now: the status has something new to tell
  bool progress = false;  // kFailed, but not where it failed before: no reason to wait longer
  std::optional<std::chrono::seconds> look_again = {};
};

// Safe from several threads, but for turns of one key: those come one after the other.
class Reconciler {
 public:
  struct Options {
    reconcile::Settings settings;
    std::string instance;  // the name of this pod, for Events
  };

  // `objects` answers for everything but Secrets, `secrets` for them; both may be behind. All must
  // outlive it.
  Reconciler(kube::Reader& objects, kube::Reader& secrets, kube::Client& client, Options options,
             const Log& log);

  Outcome turn(const ClusterKey& key, std::chrono::sys_seconds now);

 private:
  reconcile::Plan plan_for(const ClusterKey& key, reconcile::Observed observed,
                           std::chrono::sys_seconds now);
  Outcome refuse(const ClusterKey& key, const observe::Refusal& refusal,
                 std::chrono::sys_seconds now);
  Outcome execute(const ClusterKey& key, const kube::Object& resource, const reconcile::Plan& plan,
                  std::chrono::sys_seconds now);
  kube::Result<void> confirm(const kube::Object& resource, const reconcile::Plan& plan);
  Outcome settle(const ClusterKey& key, const kube::Result<void>& result,
                 const reconcile::Plan& plan, std::size_t done);
  void publish(const kube::Object& resource, const reconcile::Plan& plan);
  void remember_deleted(const ClusterKey& key, const reconcile::Plan& plan);
  void drop_deleted(const ClusterKey& key, reconcile::Observed& observed);

  kube::Reader& objects_;
  kube::Reader& secrets_;
  kube::Client& client_;
  const Options options_;
  const Log& log_;
  Executor executor_;
  EventRecorder events_;

  // What is remembered of a cluster between two turns; nothing depends on it but comfort.
  struct Memory {
    std::optional<std::string> last_error;
    std::string failed_at;          // the action
    std::set<std::string> deleted;  // UIDs that we deleted and the cache may still show
  };
  std::mutex mutex_;
  std::map<ClusterKey, Memory> memory_;  // guarded by mutex_
};

}  // namespace pgc
