#include "shared/schema/rules/parameter_names.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "shared/schema/rules/managed_parameters.h"
#include "shared/schema/structural/nearest.h"

namespace pgc::schema {
namespace {

constexpr std::array kMajors = {16, 17};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_inner(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '$';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), is_inner);
}

bool is_settable(const Parameter& parameter) {
  return parameter.context != ParameterContext::kInternal && parameter.flags == 0 &&
         reason_not_settable(parameter.name).empty();
}

// nearest() allows slips in a third of the word; names of another length are not worth the work.
bool is_of_like_length(std::string_view name, std::string_view candidate) {
  const std::size_t slips = std::max<std::size_t>(1, name.size() / 3);
  return candidate.size() <= name.size() + slips && name.size() <= candidate.size() + slips;
}

std::optional<std::string> meant(std::string_view name, std::span<const Parameter> table) {
  std::vector<std::string_view> candidates;
  for (const Parameter& parameter : table) {
    if (is_of_like_length(name, parameter.name) && is_settable(parameter))
      candidates.push_back(parameter.name);
  }
  return nearest(name, candidates);
}

std::string question(std::string_view name, std::span<const Parameter> table) {
  const auto found = meant(name, table);
  return found ? "; did you mean " + *found + "?" : "";
}

std::string other_major(std::string_view name, int major) {
  for (const int other : kMajors) {
    if (other != major && find_parameter(other, name) != nullptr)
      return "; PostgreSQL " + std::to_string(other) + " has";
  }
  return {};
}

bool has_known_prefix(std::string_view name) {
  const std::string_view prefix = name.substr(0, name.find('.') + 1);
  return std::ranges::any_of(extension_parameters(), [&](const Parameter& parameter) {
    return equal_names(parameter.name.substr(0, prefix.size()), prefix);
  });
}

}  // namespace

bool is_parameter_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return is_identifier(name);
  return is_identifier(name.substr(0, dot)) && is_identifier(name.substr(dot + 1));
}

std::string unknown_parameter(std::string_view name, int major, bool suggest) {
  const std::string other = other_major(name, major);
  return "PostgreSQL " + std::to_string(major) + " has no parameter of this name" +
         (other.empty() && suggest ? question(name, parameters_of(major)) : other);
}

std::string unknown_extension_parameter(std::string_view name, bool suggest) {
  const auto found = suggest ? meant(name, extension_parameters()) : std::nullopt;
  if (found) return "did you mean " + *found + "?";
  return has_known_prefix(name) ? "is unknown to that extension"
                                : "has an effect only if an extension of that name is loaded";
}

nlohmann::json settable_values(const Parameter& parameter) {
  nlohmann::json values = nlohmann::json::array();
  for (std::string_view rest = parameter.values; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (end > 0) values.push_back(std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return values;
}

}  // namespace pgc::schema
