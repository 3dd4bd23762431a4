#include "shared/schema/rules/given_parameters.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/managed_parameters.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {
namespace {

int major_of(const Json& object) {
  const Json* version = find(object, {"spec", "version"});
  if (version == nullptr || !version->is_string()) return 0;
  const auto& text = version->get_ref<const std::string&>();
  int major = 0;
  std::from_chars(text.data(), text.data() + text.size(), major);
  return parameters_of(major).empty() || std::to_string(major) != text ? 0 : major;
}

std::optional<double> number_of(const Parameter& parameter, const std::string& text) {
  const auto value = read_value(parameter, text);
  return value ? std::optional(*value) : std::nullopt;
}

GivenParameter read(const std::string& name, const Json& json, int major) {
  GivenParameter given{.name = &name, .json = &json, .text = {}};
  const auto text = text_of(&json);
  given.is_text = text.has_value();
  given.text = text.value_or("");
  if (major != 0) given.parameter = find_parameter(major, name);
  if (given.parameter == nullptr || !given.is_text) return given;
  const auto value = number_of(*given.parameter, given.text);
  given.is_taken = value.has_value();
  given.value = value.value_or(0);
  return given;
}

// Defaults are written plainly, in the parameter's own unit.
std::optional<double> default_of(const Parameter& parameter) {
  const std::string_view text = running_default(parameter);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return number_of(parameter, std::string(text));
}

}  // namespace

FieldPath GivenParameter::path() const {
  return FieldPath("spec.postgresql.parameters").child(*name);
}

GivenParameters::GivenParameters(const Json& object) : major_(major_of(object)) {
  const Json* parameters = schema::find(object, {"spec", "postgresql", "parameters"});
  if (parameters == nullptr || !parameters->is_object()) return;
  all_.reserve(parameters->size());
  for (auto item = parameters->begin(); item != parameters->end(); ++item) {
    all_.push_back(read(item.key(), *item, major_));
  }
}

const GivenParameter* GivenParameters::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      all_, [&](const GivenParameter& given) { return equal_names(*given.name, name); });
  return found == all_.end() ? nullptr : &*found;
}

std::optional<double> GivenParameters::value(std::string_view name) const {
  if (const GivenParameter* given = find(name))
    return given->is_taken ? std::optional(given->value) : std::nullopt;
  const Parameter* parameter = find_parameter(major_, name);
  if (parameter == nullptr) return std::nullopt;
  return default_of(*parameter);
}

std::optional<double> GivenParameters::bytes(std::string_view name) const {
  const auto number = value(name);
  const Parameter* parameter = find_parameter(major_, name);
  if (!number || parameter == nullptr) return std::nullopt;
  return *number * size_of_unit(parameter->unit);
}

}  // namespace pgc::schema
