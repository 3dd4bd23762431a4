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
  add_at_locked(key, Clock::now() + delay);
}

void WorkQueue::add_failed(const ClusterKey& key) {
  constexpr milliseconds kFirst{200};
  constexpr milliseconds kLongest{60'000};
  constexpr int kMostDoublings = 9;
  const std::lock_guard lock(mutex_);
  const int doublings = std::min(failures_[key]++, kMostDoublings);
  add_at_locked(key, Clock::now() + std::min(kFirst * (1 << doublings), kLongest));
}

// Were there several alarms for a key, each would set the next one, and they would only ever become
// more.
void WorkQueue::add_at_locked(const ClusterKey& key, Clock::time_point due) {
  const auto [alarm, fresh] = later_.try_emplace(key, due);
  if (!fresh && alarm->second <= due) return;
  alarm->second = due;
  ++alarms_;
  changed_.notify_all();  // whoever is woken may be at work when the alarm is due
}

void WorkQueue::forget_failures(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  failures_.erase(key);
}

WorkQueue::Clock::time_point WorkQueue::promote_due_locked() {
  const auto now = Clock::now();
  auto next = now + std::chrono::hours(1);
  for (auto alarm = later_.begin(); alarm != later_.end();) {
    if (alarm->second > now) {
      next = std::min(next, alarm->second);
      ++alarm;
      continue;
    }
    add_locked(alarm->first);
    alarm = later_.erase(alarm);
  }
  return next;
}

std::optional<ClusterKey> WorkQueue::take(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto next = promote_due_locked();
    if (!ready_.empty()) {
      ClusterKey key = std::move(ready_.front());
      ready_.pop_front();
      waiting_.erase(key);
      taken_.insert(key);
      return key;
    }
    const auto seen = alarms_;
    changed_.wait_until(lock, stop, next, [&] { return !ready_.empty() || alarms_ != seen; });
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
