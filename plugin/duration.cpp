#include "plugin/duration.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace pgc::plugin {
namespace {

constexpr double kLongest = 100.0 * 365 * 24 * 3600 * 1000;

// Milliseconds of one unit. Two letters stand before one, so that "ms" is not read as "m".
constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
    {{"ms", 1}, {"us", 1e-3}, {"ns", 1e-6}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes "12" or "1.5" off the front; nothing where there is no digit.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  double place = 1;
  bool fraction = false;
  bool digits = false;
  for (; !text.empty() && (is_digit(text[0]) || (text[0] == '.' && !fraction));
       text.remove_prefix(1)) {
    if (text[0] == '.') {
      fraction = true;
      continue;
    }
    digits = true;
    if (fraction) place /= 10;
    value = fraction ? value + place * (text[0] - '0') : value * 10 + (text[0] - '0');
  }
  return digits ? std::optional(value) : std::nullopt;
}

std::optional<double> take_unit(std::string_view& text) {
  const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& candidate) {
    return text.starts_with(candidate.first);
  });
  if (unit == kUnits.end()) return std::nullopt;
  text.remove_prefix(unit->first.size());
  return unit->second;
}

std::optional<double> milliseconds_in(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_digit)) {
    return take_number(text).transform([](double seconds) { return seconds * 1000; });
  }
  double sum = 0;
  while (!text.empty()) {
    const auto number = take_number(text);
    const auto unit = take_unit(text);
    if (!number || !unit) return std::nullopt;
    sum += *number * *unit;
  }
  return sum;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto total = milliseconds_in(text);
  if (!total || *total > kLongest) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(*total));
}

}  // namespace pgc::plugin
