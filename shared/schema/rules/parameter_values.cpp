#include "shared/schema/rules/parameter_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace pgc::schema {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<Unit, 5> kUnits = {{{"B", 1},
                                         {"kB", std::int64_t{1} << 10},
                                         {"MB", std::int64_t{1} << 20},
                                         {"GB", std::int64_t{1} << 30},
                                         {"TB", std::int64_t{1} << 40}}};

std::optional<std::int64_t> bytes_of(std::string_view unit, std::int64_t otherwise) {
  if (unit.empty()) return otherwise;
  const auto found = std::find_if(kUnits.begin(), kUnits.end(),
                                  [&](const Unit& known) { return known.name == unit; });
  if (found == kUnits.end()) return std::nullopt;
  return found->bytes;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<bool> parse_boolean(std::string_view text) {
  const std::string word = lower(trimmed(text));
  if (word.empty()) return std::nullopt;
  const auto begins = [&](std::string_view whole) { return whole.starts_with(word); };
  if (word == "1" || word == "on" || begins("true") || begins("yes")) return true;
  if (word == "0" || begins("false") || begins("no")) return false;
  if (word.size() >= 2 && begins("off")) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_memory(std::string_view text, std::int64_t unit) {
  text = trimmed(text);
  const std::size_t digits = std::min(text.find_first_not_of("+-.0123456789"), text.size());
  const auto bytes = bytes_of(trimmed(text.substr(digits)), unit);
  const std::string number(text.substr(0, digits));
  std::size_t used = 0;
  double amount = 0;
  try {
    amount = std::stod(number, &used);
  } catch (const std::exception&) {  // no number, or out of range
    return std::nullopt;
  }
  if (!bytes || used != number.size()) return std::nullopt;
  const double result = amount * static_cast<double>(*bytes);
  constexpr double kLargest = 9e18;
  if (std::abs(result) > kLargest) return std::nullopt;
  return std::llround(result);
}

bool lacks_unit(std::string_view text) {
  return !trimmed(text).empty() &&
         text.find_first_not_of(" \t+-.0123456789") == std::string_view::npos;
}

}  // namespace pgc::schema
