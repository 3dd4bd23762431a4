// The loop: changes of the cluster wake a key, a worker observes, plans, executes.
//
//   watch -> cache -> queue -> observe -> plan -> execute -> (the writes come back as changes)
//
// What becomes of a key after a turn: a failed read or write comes again with growing delay; a plan
// that wants another look comes again then; else it rests until something changes, or until the
// resync every ten minutes, which writes nothing where nothing has drifted.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "operator/reconciler.h"
#include "operator/secret_memo.h"
#include "operator/work_queue.h"
#include "shared/kube/cache.h"
#include "shared/kube/reflector.h"
#include "shared/log/log.h"
#include "shared/reconcile/settings.h"

namespace pgc {

struct ManagerOptions {
  reconcile::Settings settings;
  std::string ns;        // the one namespace to look after; empty: all
  std::string instance;  // the name of this pod, for Events
  int workers = 2;
};

class Manager {
 public:
  // `client` and `log` must outlive it.
  Manager(kube::Client& client, ManagerOptions options, const Log& log);

  // Works until stopped. Call it as the leader only.
  void run(std::stop_token stop);

 private:
  void changed(const kube::ResourceType& type, const kube::Change& change);
  bool wait_for_sync(std::stop_token stop);
  void work(std::stop_token stop);
  void resync();

  void settle(const ClusterKey& key, const Outcome& outcome);

  const ManagerOptions options_;
  const Log& log_;
  kube::Cache cache_;
  SecretMemo secrets_;
  WorkQueue queue_;
  Reconciler reconciler_;
  std::vector<std::unique_ptr<kube::Reflector>> reflectors_;
};

}  // namespace pgc
