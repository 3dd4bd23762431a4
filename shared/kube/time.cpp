#include "shared/kube/time.h"

#include <algorithm>
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

// Takes a text apart from its front; after the first part that is not there, nothing fits any more.
class Parts {
 public:
  explicit Parts(std::string_view text) : rest_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const char c = take();
      if (c < '0' || c > '9') fits_ = false;
      value = value * 10 + (c - '0');
    }
    return value;
  }
  void expect(std::string_view any_of) {
    if (any_of.find(take()) == std::string_view::npos) fits_ = false;
  }
  void skip_fraction() {
    if (!rest_.starts_with('.')) return;
    const std::size_t end = std::min(rest_.find_first_not_of("0123456789", 1), rest_.size());
    if (end == 1) fits_ = false;
    rest_.remove_prefix(end);
  }
  // Z, or the distance of local time from UTC.
  std::chrono::seconds zone() {
    const bool east = rest_.starts_with('+');
    if (!east && !rest_.starts_with('-')) {
      expect("Zz");
      return {};
    }
    take();
    const std::chrono::hours hours(number(2));
    expect(":");
    const std::chrono::seconds distance = hours + std::chrono::minutes(number(2));
    return east ? distance : -distance;
  }
  bool at_end() const { return fits_ && rest_.empty(); }

 private:
  char take() {
    if (rest_.empty()) {
      fits_ = false;
      return '\0';
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
  bool fits_ = true;
};

std::chrono::year_month_day date_of(Parts& parts) {
  const std::chrono::year year(parts.number(4));
  parts.expect("-");
  const std::chrono::month month(static_cast<unsigned>(parts.number(2)));
  parts.expect("-");
  return {year, month, std::chrono::day(static_cast<unsigned>(parts.number(2)))};
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

std::optional<std::chrono::sys_seconds> parse_rfc3339(std::string_view text) {
  Parts parts(text);
  const std::chrono::year_month_day date = date_of(parts);
  parts.expect("Tt ");
  const int hour = parts.number(2);
  parts.expect(":");
  const int minute = parts.number(2);
  parts.expect(":");
  const int second = parts.number(2);
  parts.skip_fraction();
  const std::chrono::seconds zone = parts.zone();
  if (!parts.at_end() || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) - zone;
}

}  // namespace pgc::kube
