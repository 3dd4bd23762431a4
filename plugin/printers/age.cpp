#include "plugin/printers/age.h"

#include <array>
#include <cstdint>

#include "shared/kube/time.h"

namespace pgc::plugin {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kYear = 365 * kDay;

// "3m20s"; the smaller unit only where there is some of it.
std::string two_units(std::int64_t total, std::int64_t big, const char* big_name,
                      std::int64_t small, const char* small_name) {
  std::string text = std::to_string(total / big) + big_name;
  const std::int64_t rest = total % big / small;
  return rest == 0 ? text : text + std::to_string(rest) + small_name;
}

}  // namespace

// The steps of k8s.io/apimachinery duration.HumanDuration.
std::string human_duration(seconds duration) {
  const std::int64_t s = duration.count();
  if (s < -1) return "<invalid>";  // the clocks disagree
  if (s < 0) return "0s";
  if (s < 2 * kMinute) return std::to_string(s) + "s";
  if (s < 10 * kMinute) return two_units(s, kMinute, "m", 1, "s");
  if (s < 3 * kHour) return std::to_string(s / kMinute) + "m";
  if (s < 8 * kHour) return two_units(s, kHour, "h", kMinute, "m");
  if (s < 2 * kDay) return std::to_string(s / kHour) + "h";
  if (s < 8 * kDay) return two_units(s, kDay, "d", kHour, "h");
  if (s < 2 * kYear) return std::to_string(s / kDay) + "d";
  if (s < 8 * kYear) return two_units(s, kYear, "y", kDay, "d");
  return std::to_string(s / kYear) + "y";
}

std::string age(std::string_view time, std::chrono::system_clock::time_point now) {
  const auto then = kube::parse_rfc3339(time);
  if (!then) return "<unknown>";
  return human_duration(std::chrono::floor<seconds>(now - *then));
}

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  std::int64_t rest = 0;
  while (bytes >= 1024) {
    rest = bytes % 1024;
    bytes /= 1024;
    ++unit;
  }
  std::string text = std::to_string(bytes);
  if (bytes < 10 && rest >= 103) text += "." + std::to_string(rest * 10 / 1024);
  return text + " " + kUnits[unit];
}

}  // namespace pgc::plugin
