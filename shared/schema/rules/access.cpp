#include "shared/schema/rules/access.h"

#include <nlohmann/json.hpp>

namespace pgc::schema {

const Json* find(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* at = &object;
  for (std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

std::optional<std::string> text_of(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  if (value->is_number_integer()) return value->dump();
  return std::nullopt;
}

std::optional<Quantity> quantity_of(const Json* value) {
  const auto text = text_of(value);
  if (!text) return std::nullopt;
  const auto quantity = Quantity::parse(*text);
  return quantity ? std::optional(*quantity) : std::nullopt;
}

}  // namespace pgc::schema
