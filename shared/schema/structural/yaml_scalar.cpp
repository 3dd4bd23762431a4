#include "shared/schema/structural/yaml_scalar.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

using Words = std::array<std::string_view, 11>;
constexpr Words kTrue = {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
constexpr Words kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                          "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNotInJson = {".inf",  ".Inf",  ".INF",  "+.inf",
                                                         "+.Inf", "+.INF", "-.inf", "-.Inf",
                                                         "-.INF", ".nan",  ".NaN",  ".NAN"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct Base {
  int base;
  std::size_t prefix;
};

// 0x1F, 0b11, 0o17, and 017, which is octal too.
Base base_of(std::string_view digits) {
  if (digits.size() < 2 || digits[0] != '0') return {10, 0};
  switch (digits[1]) {
    case 'x':
    case 'X':
      return {16, 2};
    case 'b':
    case 'B':
      return {2, 2};
    case 'o':
    case 'O':
      return {8, 2};
    default:
      return {8, 1};
  }
}

template <typename Integer>
std::optional<Integer> parse_digits(const std::string& digits, int base) {
  Integer number{};
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<Json> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const Base base = base_of(text);
  text.remove_prefix(base.prefix);
  if (text.empty() || text.front() == '-') return std::nullopt;
  const std::string digits = (negative ? "-" : "") + std::string(text);
  if (const auto number = parse_digits<std::int64_t>(digits, base.base)) return Json(*number);
  if (const auto number = parse_digits<std::uint64_t>(digits, base.base)) return Json(*number);
  return std::nullopt;
}

std::optional<Json> parse_float(const std::string& text) {
  static const re2::RE2 kFloat(R"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)");
  if (!re2::RE2::FullMatch(text, kFloat)) return std::nullopt;
  const Json number = std::strtod(text.c_str(), nullptr);
  return is_whole(number) ? Json(number.get<std::int64_t>()) : number;
}

std::optional<Json> parse_number(const std::string& text) {
  std::string digits = text;
  std::erase(digits, '_');
  if (auto number = parse_integer(digits)) return number;
  return parse_float(digits);
}

}  // namespace

std::optional<Json> resolve_scalar(const std::string& text) {
  if (among(kNull, text)) return Json(nullptr);
  if (among(kTrue, text)) return Json(true);
  if (among(kFalse, text)) return Json(false);
  if (among(kNotInJson, text)) return std::nullopt;
  const bool may_be_number = text.find_first_of("+-.0123456789") == 0;
  if (may_be_number) {
    if (auto number = parse_number(text)) return number;
  }
  return Json(text);
}

}  // namespace pgc::schema
