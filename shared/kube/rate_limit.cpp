#include "shared/kube/rate_limit.h"

namespace pgc::kube {

RateLimit::RateLimit(double per_second, int burst) {
  if (per_second <= 0) return;
  step_ = std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 / per_second));
  slack_ = step_ * (std::max(burst, 1) - 1);
}

std::optional<RateLimit::TimePoint> RateLimit::reserve(TimePoint now, TimePoint latest) {
  next_ = std::max(next_, now);
  const TimePoint turn = std::max(now, next_ - slack_);
  if (turn > latest) return std::nullopt;
  next_ += step_;
  return turn;
}

}  // namespace pgc::kube
