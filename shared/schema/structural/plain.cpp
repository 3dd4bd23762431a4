#include "shared/schema/structural/plain.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "shared/schema/structural/compiled.h"

namespace pgc::schema {
namespace {

// Up to here integers are the same as doubles, which is how valijson compares them.
constexpr std::int64_t kExact = std::int64_t{1} << 53;

bool is_plain_integer(const Node& node, const Json& value) {
  const auto number = value.get<std::int64_t>();  // what exceeds it comes out negative
  if (value.is_number_unsigned() && number < 0) return false;
  if (number < -kExact || number > kExact || node.multiple_of) return false;
  using Limits = std::numeric_limits<std::int32_t>;
  return node.format != "int32" || (number >= Limits::min() && number <= Limits::max());
}

bool is_plain_value(const Node& node, const Json& value) {
  if (value.is_null()) return node.choices.empty();
  if (value.is_string()) {
    return node.format_check == nullptr || node.format_check(value.get_ref<const std::string&>());
  }
  if (value.is_number_float()) {
    return node.only(kNumber) && node.format != "float" && !node.multiple_of;
  }
  return !value.is_number() || is_plain_integer(node, value);
}

}  // namespace

bool is_plain(const Node& node, const Json& value) {
  if (node.subtle || !is_plain_value(node, value)) return false;
  if (value.is_array() && node.items != nullptr) {
    return std::all_of(value.begin(), value.end(),
                       [&](const Json& item) { return is_plain(*node.items, item); });
  }
  if (!value.is_object()) return true;
  for (const auto& [key, child] : value.items()) {
    const Node* schema = node.field(key);
    if (schema != nullptr && !is_plain(*schema, child)) return false;
  }
  return true;
}

}  // namespace pgc::schema
