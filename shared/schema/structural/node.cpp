#include "shared/schema/structural/node.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace pgc::schema {
namespace {

constexpr double kLargestExact = 9007199254740991;  // 2^53 - 1, as in the API server

}  // namespace

const Json* member(const Json& value, std::string_view key) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(key);
  return found == value.end() ? nullptr : &*found;
}

const Json* field_schema(const Json& node, std::string_view key) {
  if (const Json* properties = member(node, "properties")) {
    if (const Json* own = member(*properties, key)) return own;
  }
  const Json* others = member(node, "additionalProperties");
  return others != nullptr && others->is_object() ? others : nullptr;
}

const Json* items_schema(const Json& node) {
  return member(node, "items");
}

bool has_flag(const Json& node, std::string_view keyword) {
  const Json* value = member(node, keyword);
  return value != nullptr && *value == true;
}

bool is_int_or_string(const Json& node) {
  return has_flag(node, "x-kubernetes-int-or-string");
}

bool is_nullable(const Json& node) {
  return has_flag(node, "nullable");
}

std::string type_of_node(const Json& node) {
  const Json* type = member(node, "type");
  return type != nullptr && type->is_string() ? type->get<std::string>() : "";
}

bool is_whole(const Json& value) {
  if (!value.is_number_float()) return value.is_number_integer();
  const auto number = value.get<double>();
  return std::trunc(number) == number && std::abs(number) <= kLargestExact;
}

bool is_json_integer(double number) {
  constexpr double kEpsilon = 1e-9;
  if (!(std::abs(number) <= kLargestExact)) return false;
  const double whole = std::trunc(number);
  if (whole == number) return true;
  return number > 0 && whole > 0 && (number - whole) / (number + whole) < kEpsilon;
}

std::size_t length_of(const std::string& text) {
  const auto begins_code_point = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_code_point));
}

bool deeper_than(const Json& value, int levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  return std::any_of(value.begin(), value.end(),
                     [&](const Json& part) { return deeper_than(part, levels - 1); });
}

}  // namespace pgc::schema
