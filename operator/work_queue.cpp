#include "operator/work_queue.h"

#include <algorithm>

namespace pgc {

using std::chrono::milliseconds;

void WorkQueue::add(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  add_locked(key);
  changed_.notify_one();
}

void WorkQueue::add_locked(const ClusterKey& key) {
  if (!waiting_.insert(key).second) return;
  if (!taken_.contains(key)) ready_.push_back(key);
}

void WorkQueue::add_after(const ClusterKey& key, milliseconds delay) {
  const std::lock_guard lock(mutex_);
  later_.emplace(Clock::now() + delay, key);
  changed_.notify_one();
}

void WorkQueue::add_failed(const ClusterKey& key) {
  constexpr milliseconds kFirst{200};
  constexpr milliseconds kLongest{60'000};
  constexpr int kMostDoublings = 9;
  const std::lock_guard lock(mutex_);
  const int doublings = std::min(failures_[key]++, kMostDoublings);
  later_.emplace(Clock::now() + std::min(kFirst * (1 << doublings), kLongest), key);
  changed_.notify_one();
}

void WorkQueue::forget_failures(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  failures_.erase(key);
}

void WorkQueue::promote_due_locked() {
  const auto now = Clock::now();
  while (!later_.empty() && later_.begin()->first <= now) {
    add_locked(later_.begin()->second);
    later_.erase(later_.begin());
  }
}

std::optional<ClusterKey> WorkQueue::take(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    promote_due_locked();
    if (!ready_.empty()) {
      ClusterKey key = std::move(ready_.front());
      ready_.pop_front();
      waiting_.erase(key);
      taken_.insert(key);
      return key;
    }
    // A copy: the entry may be erased while we wait.
    const auto until = later_.empty() ? Clock::now() + std::chrono::hours(1)
                                      : later_.begin()->first;
    const auto seen = later_.size();
    changed_.wait_until(lock, stop, until,
                        [&] { return !ready_.empty() || later_.size() != seen; });
  }
  return std::nullopt;
}

void WorkQueue::done(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  taken_.erase(key);
  if (waiting_.contains(key)) {
    ready_.push_back(key);
    changed_.notify_one();
  }
}

}  // namespace pgc
