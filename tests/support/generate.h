// Objects made up from a structural schema: right ones, nearly right ones, and hostile ones. The
// same schema and seed give the same objects on every machine.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/random.h"

namespace pgc::test {

using Json = nlohmann::json;

class Generator {
 public:
  // `head` is what every object begins with, such as apiVersion and kind; metadata.name is made up.
  Generator(const Json& openapi_schema, std::uint64_t seed, Json head = Json::object());

  // As the schema wants it. CEL rules are not looked at, and a combination of schemas (oneOf, not)
  // is not always met.
  Json valid();
  // A valid object with one to three slips.
  Json nearly_valid();
  // A valid object with parts that are very deep, very wide, or hold odd keys, control characters,
  // broken UTF-8 or huge numbers.
  Json hostile();
  // For updates: `object` with one to three changes, most of them right.
  Json mutate(const Json& object);

  // What was done to the last object after it was valid, such as "spec/replicas: null".
  const std::vector<std::string>& slips() const { return slips_; }

 private:
  Json object_head();

  Json schema_;
  Random random_;
  Json head_;
  std::vector<std::string> slips_;
};

// A right value for one node of a schema.
Json generate(const Json& node, Random& random, int depth = 0);
// A value that no schema was asked about, at most `depth` levels deep.
Json arbitrary(Random& random, int depth);

}  // namespace pgc::test
