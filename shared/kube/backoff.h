// How long to wait before the next try, when tries fail: longer each time, and never for the same
// time as everybody else. A value; the caller brings the randomness.
#pragma once

#include <algorithm>
#include <chrono>

namespace pgc::kube {

struct BackoffLimits {
  std::chrono::milliseconds first{200};
  std::chrono::milliseconds longest{60'000};
};

// The wait after `failures` failures in a row (1: the first one), between half of what doubling
// gives and all of it. `random`: at least 0, less than 1.
inline std::chrono::milliseconds backoff(const BackoffLimits& limits, int failures, double random) {
  constexpr int kMostDoublings = 20;
  const int doublings = std::clamp(failures - 1, 0, kMostDoublings);
  const std::chrono::milliseconds doubled(limits.first.count() << doublings);
  const auto most = static_cast<double>(std::min(doubled, limits.longest).count());
  return std::chrono::milliseconds(static_cast<long long>(most * (0.5 + random / 2)));
}

}  // namespace pgc::kube
