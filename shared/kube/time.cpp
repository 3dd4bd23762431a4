#include "shared/kube/time.h"

#include <cstdio>

namespace pgc::kube {
namespace {

// Without the zone. std::format is not in every standard library that compiles this.
std::string date_and_clock(std::chrono::sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace

std::string rfc3339(std::chrono::sys_seconds time) {
  return date_and_clock(time) + "Z";
}

std::string rfc3339_micro(std::chrono::sys_time<std::chrono::microseconds> time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%06d", static_cast<int>((time - whole).count()));
  return date_and_clock(whole) + fraction + "Z";
}

}  // namespace pgc::kube
