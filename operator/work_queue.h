// The schedule with a lock and a clock: several workers take keys from it and wait where nothing is
// due. Safe from several threads.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>

#include "operator/schedule.h"

namespace pgc {

class WorkQueue {
 public:
  using Clock = std::chrono::steady_clock;

  // `random`: at least 0, less than 1; called under the queue's lock.
  explicit WorkQueue(std::function<double()> random) : random_(std::move(random)) {}

  void add(const ClusterKey& key);
  void add_after(const ClusterKey& key, std::chrono::milliseconds delay);
  // Returns when it comes again.
  std::chrono::milliseconds add_failed(const ClusterKey& key, const Retry& retry);
  void forget_failures(const ClusterKey& key);
  void add_repeat(const ClusterKey& key, const kube::BackoffLimits& limits);
  void forget_repeats(const ClusterKey& key);

  // Blocks until a key is due; nothing when stopped. Whoever takes a key must call done() with it.
  std::optional<Schedule::Turn> take(std::stop_token stop);
  void done(const ClusterKey& key);

  std::size_t depth() const;
  Schedule::State state(const ClusterKey& key) const;

 private:
  const std::function<double()> random_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Schedule schedule_;  // guarded by mutex_
};

}  // namespace pgc
