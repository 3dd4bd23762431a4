#include "shared/schema/structural/time_format.h"

#include <re2/re2.h>
#include <re2/stringpiece.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace pgc::schema {
namespace {

int number(std::string_view digits) {
  int value = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

int days_in(int month, int year) {
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays.at(static_cast<std::size_t>(month - 1));
}

bool is_day(std::string_view year, std::string_view month, std::string_view day) {
  const int m = number(month);
  return m >= 1 && m <= 12 && number(day) >= 1 && number(day) <= days_in(m, number(year));
}

// What time.ParseDuration takes: [-+]?([0-9]*(\.[0-9]*)?[a-z]+)+
bool is_go_duration(const std::string& text) {
  static const re2::RE2 kDuration(
      R"([-+]?(0|((\d+\.?\d*|\.\d+)(ns|us|\x{00B5}s|\x{03BC}s|ms|s|m|h))+))");
  return re2::RE2::FullMatch(text, kDuration);
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// "ns", "nanoseconds", "wk": a unit as it is, or anything that begins with its long form.
bool is_unit(const std::string& word) {
  static const re2::RE2 kUnit(
      "(?i)ns|nano.*|us|\xC2\xB5s|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week."
      "*");
  return re2::RE2::FullMatch(lower(word), kUnit);
}

}  // namespace

bool is_date(const std::string& text) {
  static const re2::RE2 kDate(R"((\d{4})-(\d{2})-(\d{2}))");
  std::string year;
  std::string month;
  std::string day;
  return re2::RE2::FullMatch(text, kDate, &year, &month, &day) && is_day(year, month, day);
}

bool is_date_time(const std::string& text) {
  static const re2::RE2 kTime(
      R"(([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2})))");
  const std::string low = lower(text);
  const std::size_t t = low.find('t');
  if (t == std::string::npos || !is_date(low.substr(0, t))) return false;
  const std::string rest = low.substr(t + 1);
  const std::string time = rest.substr(0, rest.find('t'));
  std::string hour;
  std::string minute;
  std::string second;
  if (!re2::RE2::FullMatch(time, kTime, &hour, &minute, &second)) return false;
  return hour <= "23" && minute <= "59" && second <= "59";
}

bool is_rfc3339(const std::string& text) {
  static const re2::RE2 kTime(
      R"((\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(Z|[+-](\d{2}):(\d{2})))");
  std::string year;
  std::string month;
  std::string day;
  std::string hour;
  std::string minute;
  std::string second;
  if (!re2::RE2::FullMatch(text, kTime, &year, &month, &day, &hour, &minute, &second)) return false;
  return is_day(year, month, day) && number(hour) < 24 && number(minute) < 60 &&
         number(second) < 60;
}

bool is_duration(const std::string& text) {
  static const re2::RE2 kPart("(\\d+)\\s*([A-Za-z\xC2\xB5]+)");
  if (is_go_duration(text)) return true;
  re2::StringPiece rest(text);
  std::string digits;
  std::string word;
  bool found = false;
  while (re2::RE2::FindAndConsume(&rest, kPart, &digits, &word)) {
    std::int64_t value = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end.ec != std::errc()) return false;
    found = found || is_unit(word);
  }
  return found;
}

}  // namespace pgc::schema
