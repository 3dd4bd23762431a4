// At most so many a second, after some at once: a token bucket without a clock. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace pgc::kube {

// One thread.
class RateLimit {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // 0 a second: no limit.
  RateLimit(double per_second, int burst);

  // When the next one may go: `now` or later. That place is taken then. Nothing, and no place
  // taken, where it would be after `latest`.
  std::optional<TimePoint> reserve(TimePoint now, TimePoint latest);

 private:
  std::chrono::nanoseconds step_{0};   // between two of a full stream
  std::chrono::nanoseconds slack_{0};  // how far the stream may be ahead of time
  TimePoint next_{};                   // of a stream without any burst
};

}  // namespace pgc::kube
