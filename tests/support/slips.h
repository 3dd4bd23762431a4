// Ways in which an object goes wrong, or merely changes, at a place of its schema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/random.h"

namespace pgc::test {

using Json = nlohmann::json;

// A value of an object and the node of the schema that speaks of it.
struct Place {
  Json::json_pointer at;
  const Json* node;
};

// The places of `object` that the schema knows, the root included. They hold as long as both.
std::vector<Place> places_of(const Json& schema, const Json& object);

// Makes something wrong somewhere and says what.
std::string slip(const Json& schema, Json& object, Random& random);
// Makes something deep, wide or odd somewhere and says what.
std::string attack(const Json& schema, Json& object, Random& random);
// Changes something as the schema allows and says what.
std::string change(const Json& schema, Json& object, Random& random);

}  // namespace pgc::test
