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

// What has become of a turn, and is to become of its key.
struct Outcome {
  enum class Kind {
    kDone,    // it rests until something changes
    kFailed,  // an error that time may cure: come again, later each time
    kStuck,   // an error that only a change cures (permanent()): it stands in the status; rest,
              // or have a look now and then (cured_unseen())
    kGone,    // there is no such cluster
  };
  Kind kind = Kind::kDone;
  // Come again now. A turn that has written anything is followed by one that sees it; and a
  // permanent error that is new, or gone, has yet to be told in the status.
  bool at_once = false;
  bool progress = false;  // kFailed, but not where it failed before: no reason to wait longer
  std::optional<std::chrono::seconds> look_again = {};  // the plan's own wish
  std::optional<kube::Error> error = {};
  std::vector<std::string> did = {};  // in words, for people
};

// True where the same request fails again however long one waits: the API server has understood it
// and says no. NotFound is not one of them: it says that our view was behind.
bool permanent(const kube::Error& error);
// Of a permanent error: true where the change that cures it may be none of ours, so that nothing
// tells of it. Forbidden is what a ResourceQuota, a LimitRange, an admission policy and missing
// rights answer, AlreadyExists a stranger's object in our object's place.
bool cured_unseen(const kube::Error& error);

// Safe from several threads, but for turns of one key: those come one after the other.
class Reconciler {
 public:
  struct Options {
    reconcile::Settings settings;
    std::string instance;  // the name of this pod, for Events
  };

  // `objects` answers for everything but Secrets, `secrets` for them; both may be behind, so that
  // a plan that deletes is made again of what `client` says. All must outlive it.
  Reconciler(kube::Reader& objects, kube::Reader& secrets, kube::Client& client, Options options,
             const Log& log);

  Outcome turn(const ClusterKey& key, std::chrono::sys_seconds now);

  // Other settings for the turns that begin from now on. Any thread.
  void use(reconcile::Settings settings);
  reconcile::Settings settings() const;

 private:
  reconcile::Plan plan_for(const ClusterKey& key, reconcile::Observed observed,
                           std::chrono::sys_seconds now);
  Outcome refuse(const ClusterKey& key, const observe::Refusal& refusal,
                 std::chrono::sys_seconds now);
  Outcome execute(const ClusterKey& key, const kube::Object& resource, const reconcile::Plan& plan,
                  std::chrono::sys_seconds now);
  kube::Result<void> confirm(const kube::Object& resource, const reconcile::Plan& plan);
  bool remember_error(const ClusterKey& key, const kube::Result<void>& result);
  bool remember_progress(const ClusterKey& key, const reconcile::Plan& plan, std::size_t done);
  void publish(const kube::Object& resource, const reconcile::Plan& plan);
  void remember_deleted(const ClusterKey& key, const reconcile::Action& action);
  void drop_deleted(const ClusterKey& key, reconcile::Observed& observed);

  kube::Reader& objects_;
  kube::Reader& secrets_;
  kube::Client& client_;
  const Log& log_;
  Executor executor_;
  EventRecorder events_;

  // What is remembered of a cluster between two turns; nothing depends on it but comfort.
  struct Memory {
    std::optional<std::string> last_error;
    std::string failed_at;          // the action
    std::set<std::string> deleted;  // UIDs that we deleted and the cache may still show
  };
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<ClusterKey, Memory> memory_;
  reconcile::Settings settings_;
};

}  // namespace pgc
