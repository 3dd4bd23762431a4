#include "shared/schema/rules/parameter_table.h"

#include <algorithm>
#include <array>

namespace pgc::schema {
namespace {

using enum ParameterKind;
using enum ParameterContext;

constexpr Parameter k16[] = {
#include "shared/schema/rules/parameters/postgresql_16.inc"
};
constexpr Parameter k17[] = {
#include "shared/schema/rules/parameters/postgresql_17.inc"
};
constexpr Parameter kExtensions[] = {
#include "shared/schema/rules/parameters/extensions.inc"
};

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool less(std::string_view a, std::string_view b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](char x, char y) { return lower(x) < lower(y); });
}

constexpr bool is_sorted(std::span<const Parameter> table) {
  return std::is_sorted(table.begin(), table.end(), [](const Parameter& a, const Parameter& b) {
    return less(a.name, b.name);
  });
}
static_assert(is_sorted(k16) && is_sorted(k17) && is_sorted(kExtensions));

}  // namespace

std::span<const Parameter> parameters_of(int major) {
  switch (major) {
    case 16:
      return k16;
    case 17:
      return k17;
    default:
      return {};
  }
}

std::span<const Parameter> extension_parameters() {
  return kExtensions;
}

const Parameter* find_parameter(std::span<const Parameter> table, std::string_view name) {
  const auto found = std::lower_bound(
      table.begin(), table.end(), name,
      [](const Parameter& parameter, std::string_view text) { return less(parameter.name, text); });
  return found == table.end() || less(name, found->name) ? nullptr : &*found;
}

const Parameter* find_parameter(int major, std::string_view name) {
  const bool of_extension = name.find('.') != std::string_view::npos;
  return find_parameter(of_extension ? extension_parameters() : parameters_of(major), name);
}

bool equal_names(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace pgc::schema
