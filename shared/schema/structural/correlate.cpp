#include "shared/schema/structural/correlate.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

bool is_scalar(const Json& value) {
  return value.is_primitive() && !value.is_null();
}

bool same_keys(const Node& list, const Json& a, const Json& b) {
  return std::all_of(list.list_keys.begin(), list.list_keys.end(), [&](const std::string& key) {
    const Json* of_a = member(a, key);
    const Json* of_b = member(b, key);
    return of_a != nullptr && of_b != nullptr && is_scalar(*of_a) && identical(*of_a, *of_b);
  });
}

bool is_map(const Node& node) {
  return node.list_type == ListType::kMap && !node.list_keys.empty();
}

bool lists_unchanged(const Correlation& at) {
  if (at.now->size() != at.before->size()) return false;
  if (!is_map(*at.node)) return identical(*at.now, *at.before);
  for (std::size_t i = 0; i < at.now->size(); ++i) {
    const Correlation item = at.item(i);
    if (!item || !item.unchanged()) return false;
  }
  return true;
}

bool objects_unchanged(const Correlation& at) {
  if (at.now->size() != at.before->size()) return false;
  for (const auto& [key, unused] : at.now->items()) {
    const Correlation child = at.field(key);
    if (!child || !child.unchanged()) return false;
  }
  return true;
}

}  // namespace

bool identical(const Json& a, const Json& b) {
  if (a.is_number() || b.is_number()) {
    return a.is_number_float() == b.is_number_float() && a == b;
  }
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), identical);
  if (!a.is_object()) return a == b;
  for (const auto& [key, child] : a.items()) {
    const Json* other = member(b, key);
    if (other == nullptr || !identical(child, *other)) return false;
  }
  return true;
}

Correlation Correlation::field(const std::string& key) const {
  if (node == nullptr) return {};
  const Json* child = member(*now, key);
  const Json* old = member(*before, key);
  const Node* schema = node->field(key);
  if (child == nullptr || old == nullptr || schema == nullptr) return {};
  return {schema, child, old};
}

Correlation Correlation::item(std::size_t index) const {
  if (node == nullptr || !is_map(*node) || node->items == nullptr) return {};
  if (!now->is_array() || !before->is_array() || index >= now->size()) return {};
  const Json& wanted = (*now)[index];
  const auto found = std::find_if(before->begin(), before->end(), [&](const Json& candidate) {
    return same_keys(*node, wanted, candidate);
  });
  if (found == before->end()) return {};
  return {node->items.get(), &wanted, &*found};
}

bool Correlation::unchanged() const {
  if (node == nullptr || now->is_null() != before->is_null()) return false;
  if (now->is_null()) return true;
  if (now->is_array() != before->is_array() || now->is_object() != before->is_object())
    return false;
  if (now->is_array()) return lists_unchanged(*this);
  return now->is_object() ? objects_unchanged(*this) : identical(*now, *before);
}

}  // namespace pgc::schema
