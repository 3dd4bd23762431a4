// From the JSON of a structural schema to a tree of nodes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "shared/schema/structural/compiled.h"

namespace pgc::schema {

// What is wrong with a schema, with the path inside it.
struct SchemaProblem {
  std::string text;
};

// Throws SchemaProblem. Also refuses what Kubernetes calls not structural: nodes without a type,
// arrays without items, types inside anyOf and its kin, properties beside additionalProperties.
Node compile_tree(const Json& open_api_schema, const std::string& path);

}  // namespace pgc::schema
