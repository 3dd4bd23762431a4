// For how long a caller waits, at the most: until a moment, or until it is asked to stop.
#pragma once

#include <chrono>
#include <stop_token>

namespace pgc::kube {

using Deadline = std::chrono::steady_clock::time_point;

struct Patience {
  Deadline until;
  std::stop_token stop = {};
};

}  // namespace pgc::kube
