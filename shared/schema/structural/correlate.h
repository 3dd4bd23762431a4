// Which part of an object corresponds to which part of what it was before: for ratcheting, where
// what was wrong and has not been touched does not stand in the way of other changes.
//
// The algorithm is CorrelatedObject of k8s.io/apiserver/pkg/cel/common.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pgc::schema {

using Json = nlohmann::json;
struct Node;

// Corresponding places in the schema, the new and the old object.
struct Correlation {
  const Node* node = nullptr;  // null: nothing corresponds
  const Json* now = nullptr;
  const Json* before = nullptr;

  explicit operator bool() const { return node != nullptr; }
  Correlation field(const std::string& key) const;
  // Items of lists correspond only by the keys of a list-map.
  Correlation item(std::size_t index) const;
  bool unchanged() const;
};

// Equal in type as well: 3 and 3.0 differ.
bool identical(const Json& a, const Json& b);

}  // namespace pgc::schema
