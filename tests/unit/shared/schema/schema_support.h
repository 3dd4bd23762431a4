// For the tests of shared/schema: objects from YAML, errors as text.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shared/schema/structural/crd.h"
#include "shared/schema/structural/field_error.h"
#include "shared/schema/structural/yaml.h"

namespace pgc::schema::testing {

inline Json from_yaml(std::string_view text) {
  const auto documents = parse_yaml(text);
  INFO(text << (documents ? "" : documents.error().message));
  REQUIRE(documents);
  REQUIRE(documents->size() == 1);
  return documents->front().value;
}

inline Schema schema_from_yaml(std::string_view text) {
  auto schema = Schema::compile(from_yaml(text));
  INFO((schema ? "" : schema.error()));
  REQUIRE(schema);
  return *schema;
}

// A PostgresCluster with this spec.
inline Json cluster(std::string_view spec, std::string_view name = "my-db") {
  Json object = {{"apiVersion", "db.example.com/v1"}, {"kind", "PostgresCluster"}};
  object["metadata"]["name"] = name;
  object["spec"] = from_yaml(spec);
  return object;
}

inline std::vector<std::string> texts(const std::vector<FieldError>& errors) {
  std::vector<std::string> result;
  for (const FieldError& error : errors) result.push_back(to_string(error));
  return result;
}

// A file of the project.
std::string file(const std::string& path);

}  // namespace pgc::schema::testing
