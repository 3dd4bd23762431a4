#include "operator/work_queue.h"

namespace pgc {

using std::chrono::milliseconds;

void WorkQueue::add(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  schedule_.add(key, Clock::now());
  changed_.notify_one();
}

// Whoever sleeps until a later alarm must hear of an earlier one.
void WorkQueue::add_after(const ClusterKey& key, milliseconds delay) {
  const std::lock_guard lock(mutex_);
  schedule_.add_at(key, Clock::now() + delay);
  changed_.notify_all();
}

milliseconds WorkQueue::add_failed(const ClusterKey& key, const Retry& retry) {
  const std::lock_guard lock(mutex_);
  const auto wait = schedule_.add_failed(key, retry, Clock::now(), random_());
  changed_.notify_all();
  return wait;
}

void WorkQueue::forget_failures(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  schedule_.forget_failures(key);
}

void WorkQueue::add_repeat(const ClusterKey& key, const kube::BackoffLimits& limits) {
  const std::lock_guard lock(mutex_);
  schedule_.add_repeat(key, limits, Clock::now(), random_());
  changed_.notify_all();
}

void WorkQueue::forget_repeats(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  schedule_.forget_repeats(key);
}

std::optional<Schedule::Turn> WorkQueue::take(std::stop_token stop) {
  constexpr std::chrono::hours kLongest{1};
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto now = Clock::now();
    if (auto turn = schedule_.take(now)) return turn;
    const auto seen = schedule_.next_alarm();
    changed_.wait_until(lock, stop, seen.value_or(now + kLongest),
                        [&] { return schedule_.depth() > 0 || schedule_.next_alarm() != seen; });
  }
  return std::nullopt;
}

void WorkQueue::done(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  schedule_.done(key);
  if (schedule_.depth() > 0) changed_.notify_one();
}

std::size_t WorkQueue::depth() const {
  const std::lock_guard lock(mutex_);
  return schedule_.depth();
}

Schedule::State WorkQueue::state(const ClusterKey& key) const {
  const std::lock_guard lock(mutex_);
  return schedule_.state(key);
}

}  // namespace pgc
