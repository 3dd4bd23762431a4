// The loop: changes of the cluster wake a key, a worker observes, plans, executes.
//
//   watch -> cache -> queue -> observe -> plan -> execute -> (the writes come back as changes)
//
// What wakes a cluster: that it comes, changes or goes; a change of anything that carries its
// label, but for heartbeats (triggers.h); new settings; and a resync, which finds what no event has
// told. A turn's own writes are in the cache at once (witness.h) and wake nobody.
//
// What becomes of a key after a turn:
//   nothing was to be done     it rests until it is woken, or its plan wants another look, or it is
//                              time to see whether its Secrets are still there (8 to 12 minutes)
//   something was written      another turn follows, which sees it; when each writes again and
//                              nobody else has changed anything, as where an admission webhook of
//                              others alters what we write, the next one comes later each time:
//                              10 ms to 30 s
//   an error that time cures   again after a wait that grows: up to 2 s where somebody else wrote
//                              in between, 5 s where nobody answers, 60 s where the server says
//                              no, and never before it wants to be asked again (Retry-After)
//   an error that it does not  it stands in the status with its reason, and the key rests as above;
//                              where what cures it is no change of ours, as a quota that is lifted
//                              (cured_unseen()), it comes again, later each time, up to 30 s
//   there is no such cluster   it is forgotten
// No key is ever with two workers; keys come in the order in which they were woken, so that one
// that always changes does not starve the others (schedule.h).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "operator/diary.h"
#include "operator/loop_metrics.h"
#include "operator/reconciler.h"
#include "operator/secret_memo.h"
#include "operator/witness.h"
#include "operator/work_queue.h"
#include "shared/kube/cache.h"
#include "shared/kube/reflector.h"
#include "shared/log/log.h"
#include "shared/metrics/metrics.h"
#include "shared/reconcile/settings.h"

namespace pgc {

struct ManagerOptions {
  reconcile::Settings settings = {};
  std::vector<std::string> namespaces = {};  // to look after; none: all
  std::string instance = {};                 // the name of this pod, for Events
  int workers = 2;
  std::chrono::seconds resync = std::chrono::hours(10);  // spread over the tenth before
  std::uint64_t seed = 0;                                // for the jitter of waits
};

class Manager {
 public:
  // `client`, `log` and `registry` must outlive it; before_text() of the registry must not be
  // called after its end.
  Manager(kube::Client& client, ManagerOptions options, const Log& log,
          metrics::Registry& registry);

  // Works until stopped, and then ends the turns in hand. Call it as the leader only, and once.
  void run(std::stop_token stop);

  // All of these from any thread.

  // Everything has been seen once, and the workers work.
  bool synced() const { return synced_; }
  // Other settings; every cluster gets a turn.
  void use(reconcile::Settings settings);
  // What is believed of one cluster, what the next turn would do, and what the last ones did and
  // why: JSON for people, without secrets. Reads the cache alone. Nothing where it is not known.
  std::optional<std::string> explain(const ClusterKey& key);
  // Sets the metrics that are measured rather than counted.
  void measure();

 private:
  // Draws from several threads.
  class Dice {
   public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    double roll();

   private:
    std::mutex mutex_;
    std::mt19937_64 engine_;  // guarded by mutex_
  };

  void add_reflector(kube::Client& client, const kube::ResourceType& type, const std::string& ns);
  void changed(const kube::ResourceType& type, const kube::Change& change);
  bool wait_for_sync(std::stop_token stop);
  void work(std::stop_token stop);
  void turn(const Schedule::Turn& due);
  void settle(const ClusterKey& key, const Outcome& outcome);
  void come_again(const ClusterKey& key, const Outcome& outcome, const Retry& retry);
  void repeat(const ClusterKey& key);
  void rest(const ClusterKey& key, const Outcome& outcome);
  void wake_all(const std::string& why, std::chrono::seconds within);

  const ManagerOptions options_;
  const Log& log_;
  Dice dice_;
  LoopMetrics metrics_;
  kube::Cache cache_;
  SecretMemo secrets_;
  Witness witness_;
  WorkQueue queue_;
  Diary diary_;
  Reconciler reconciler_;
  std::vector<std::unique_ptr<kube::Reflector>> reflectors_;
  std::atomic<bool> synced_{false};
  std::atomic<std::uint64_t> turns_{0};
};

}  // namespace pgc
