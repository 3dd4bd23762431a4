#include "shared/kube/deadlines.h"

namespace pgc::kube {

Deadlines::Deadlines() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

Deadlines::Guard::Guard(Deadlines& owner, Connection& connection, Deadline deadline)
    : owner_(owner) {
  const std::lock_guard lock(owner_.mutex_);
  place_ = owner_.armed_.emplace(deadline, &connection);
  if (deadline < owner_.wakes_) owner_.earlier_.notify_one();
}

Deadlines::Guard::~Guard() {
  lift();
}

// The thread is not told: it finds nothing to do when it wakes, which is seldom.
void Deadlines::Guard::lift() {
  const std::lock_guard lock(owner_.mutex_);
  if (armed_) owner_.armed_.erase(place_);
  armed_ = false;
}

void Deadlines::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto now = std::chrono::steady_clock::now();
    for (auto& [deadline, connection] : armed_) {
      if (deadline > now) break;
      connection->cut();
    }
    const auto next = armed_.upper_bound(now);
    const auto is_earlier = [this, now] {
      const auto first = armed_.upper_bound(now);
      return first != armed_.end() && first->first < wakes_;
    };
    wakes_ = next == armed_.end() ? now + std::chrono::hours(1) : next->first;
    earlier_.wait_until(lock, stop, wakes_, is_earlier);
  }
}

}  // namespace pgc::kube
