#include "shared/schema/rules/parameter_values.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace pgc::schema {
namespace {

struct Unit {
  std::string_view name;
  double size;
};

// Largest first.
constexpr std::array<Unit, 5> kMemory = {
    {{"TB", 1099511627776.0}, {"GB", 1073741824.0}, {"MB", 1048576.0}, {"kB", 1024.0}, {"B", 1.0}}};
constexpr std::array<Unit, 6> kTime = {
    {{"d", 86400e6}, {"h", 3600e6}, {"min", 60e6}, {"s", 1e6}, {"ms", 1e3}, {"us", 1.0}}};

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_memory(std::string_view unit) {
  return unit.ends_with('B');
}

std::span<const Unit> units_like(std::string_view unit) {
  if (is_memory(unit)) return kMemory;
  return kTime;
}

// What follows the number: nothing, or a unit, blanks around it. PostgreSQL rounds a fraction of a
// unit to whole ones of the next smaller.
bool convert(std::string_view rest, std::string_view base, double& number) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  if (rest.empty()) return true;
  if (base.empty()) return false;
  const auto units = units_like(base);
  const auto unit = std::ranges::find(units, rest, &Unit::name);
  if (unit == units.end()) return false;
  const double size = size_of_unit(base);
  number *= unit->size / size;
  if (const auto smaller = unit + 1; smaller != units.end()) {
    const double step = smaller->size / size;
    number = std::rint(number / step) * step;
  }
  return true;
}

// What reads 0b11 as binary, as C23 does, depends on the library that PostgreSQL is built with.
bool is_binary(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const bool prefix = text.starts_with("0b") || text.starts_with("0B");
  return prefix && text.size() > 2 && (text[2] == '0' || text[2] == '1');
}

// Errors are told by errno alone.
double to_double(const char* begin, char** end) {
  errno = 0;
  return std::strtod(begin, end);
}

std::string name_of(double number) {
  constexpr double kWhole = 1e15;
  if (std::rint(number) == number && std::abs(number) < kWhole)
    return std::to_string(static_cast<std::int64_t>(number));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", number);
  return text.data();
}

std::string range_text(const Parameter& parameter) {
  return "must be from " + amount_text(parameter.least, parameter.unit) + " to " +
         amount_text(parameter.most, parameter.unit);
}

std::string number_text(const Parameter& parameter) {
  const bool whole = parameter.kind == ParameterKind::kInteger;
  if (parameter.unit.empty()) return whole ? "must be a whole number" : "must be a number";
  if (is_memory(parameter.unit))
    return "must be an amount of memory, such as " +
           std::string(parameter.unit == "B" ? "64kB" : "64MB") +
           "; the units are B, kB, MB, GB and TB";
  return "must be a time, such as " +
         std::string(parameter.unit == "min" ? "10min" : "10" + std::string(parameter.unit)) +
         "; the units are us, ms, s, min, h and d";
}

std::expected<double, std::string> read_number(const Parameter& parameter,
                                               const std::string& text) {
  const auto number = parameter.kind == ParameterKind::kInteger
                          ? parse_integer(text, parameter.unit)
                          : parse_real(text, parameter.unit);
  if (!number) return std::unexpected(number_text(parameter));
  if (*number < parameter.least || *number > parameter.most)
    return std::unexpected(range_text(parameter));
  return *number;
}

// The position of the word in the list, added to `position`, which otherwise becomes its length.
bool find_word(std::string_view list, std::string_view word, double& position) {
  if (list.empty()) return false;
  for (std::size_t begin = 0; begin <= list.size(); position += 1) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (equal_names(list.substr(begin, end - begin), word)) return true;
    begin = end + 1;
  }
  return false;
}

std::expected<double, std::string> read_enum(const Parameter& parameter, const std::string& text) {
  double position = 0;
  if (find_word(parameter.values, text, position)) return position;
  if (find_word(parameter.hidden_values, text, position)) return position;
  return std::unexpected("must be one of " + std::string(parameter.values));
}

}  // namespace

std::optional<bool> parse_boolean(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto begins = [&](std::string_view whole) {
    return text.size() <= whole.size() && equal_names(whole.substr(0, text.size()), text);
  };
  if (text == "1" || equal_names(text, "on") || begins("true") || begins("yes")) return true;
  if (text == "0" || begins("false") || begins("no")) return false;
  if (text.size() >= 2 && begins("off")) return false;
  return std::nullopt;
}

std::optional<double> parse_integer(const std::string& text, std::string_view unit) {
  if (is_binary(text)) return std::nullopt;
  char* end = nullptr;
  errno = 0;
  auto number = static_cast<double>(std::strtoll(text.c_str(), &end, 0));
  if (*end == '.' || *end == 'e' || *end == 'E' || errno == ERANGE)
    number = to_double(text.c_str(), &end);
  if (end == text.c_str() || errno == ERANGE || std::isnan(number)) return std::nullopt;
  if (!convert(end, unit, number)) return std::nullopt;
  return std::rint(number);
}

std::optional<double> parse_real(const std::string& text, std::string_view unit) {
  char* end = nullptr;
  double number = to_double(text.c_str(), &end);
  if (end == text.c_str() || errno == ERANGE || std::isnan(number)) return std::nullopt;
  if (!convert(end, unit, number)) return std::nullopt;
  return number;
}

std::expected<double, std::string> read_value(const Parameter& parameter, const std::string& text) {
  switch (parameter.kind) {
    case ParameterKind::kBool:
      if (const auto value = parse_boolean(text)) return *value ? 1 : 0;
      return std::unexpected(R"(must be "on" or "off")");
    case ParameterKind::kInteger:
    case ParameterKind::kReal:
      return read_number(parameter, text);
    case ParameterKind::kEnum:
      return read_enum(parameter, text);
    case ParameterKind::kString:
      break;
  }
  return 0;
}

bool has_value(const Parameter& parameter, std::string_view text) {
  double position = 0;
  return find_word(parameter.values, text, position);
}

bool lacks_unit(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return !text.empty() && text.back() >= '0' && text.back() <= '9';
}

std::string amount_text(double number, std::string_view unit) {
  if (unit.empty() || number <= 0) return name_of(number);
  const double amount = number * size_of_unit(unit);
  for (const Unit& candidate : units_like(unit)) {
    const double count = amount / candidate.size;
    if (std::rint(count) == count) return name_of(count) + std::string(candidate.name);
  }
  return name_of(number) + std::string(unit);
}

double size_of_unit(std::string_view unit) {
  constexpr double kBlock = 8192;
  if (unit.empty()) return 1;
  if (unit == "8kB") return kBlock;
  const auto units = units_like(unit);
  const auto found = std::ranges::find(units, unit, &Unit::name);
  return found == units.end() ? 1 : found->size;
}

}  // namespace pgc::schema
