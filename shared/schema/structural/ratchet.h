// Ratcheting: what was wrong before and has not been touched does not stand in the way of other
// changes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pgc::schema {

using Json = nlohmann::json;

// The way to a value from the root: keys of objects, decimal indexes of arrays.
using Steps = std::vector<std::string>;

// Whether the value at `steps`, or one that holds it, is the same in both objects. Items of lists
// correspond only by the keys of a list-map.
bool unchanged(const Json& schema_root, const Json& object, const Json& old, const Steps& steps);

}  // namespace pgc::schema
