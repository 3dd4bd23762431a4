// Time since boot, with the time that the machine was suspended: a lease runs out during that, too.
// steady_clock (CLOCK_MONOTONIC) would not notice.
// https://man7.org/linux/man-pages/man2/clock_gettime.2.html
#pragma once

#include <chrono>

namespace pgc {

struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;
};

}  // namespace pgc
