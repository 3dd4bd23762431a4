#include "shared/schema/structural/suggest.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace pgc::schema {
namespace {

Schema schema() {
  return *Schema::compile(Json::parse(R"({"type": "object", "properties": {
    "spec": {"type": "object", "properties": {
      "replicas": {"type": "integer"},
      "storage": {"type": "object", "properties": {"size": {"type": "string"}}},
      "repositories": {"type": "array", "items": {"type": "object", "properties": {
        "name": {"type": "string"}, "schedule": {"type": "string"}}}},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}}}},
    "status": {"type": "object", "properties": {"phase": {"type": "string"}}}}})"));
}

TEST_CASE("suggest_field: a misspelt name beside the right one", "[schema][suggest]") {
  CHECK(suggest_field(schema(), "spec.replcias") == "spec.replicas");
  CHECK(suggest_field(schema(), "sepc") == "spec");
  CHECK(suggest_field(schema(), "spec.repositories[3].shedule") == "spec.repositories[3].schedule");
  CHECK(suggest_field(schema(), "metadata.lables") == "metadata.labels");
}

TEST_CASE("suggest_field: the right name in another place", "[schema][suggest]") {
  CHECK(suggest_field(schema(), "spec.size") == "spec.storage.size");
  CHECK(suggest_field(schema(), "replicas") == "spec.replicas");
  CHECK_FALSE(suggest_field(schema(), "phase"));  // nobody writes a status
}

TEST_CASE("suggest_field: nothing of the kind", "[schema][suggest]") {
  for (const char* field : {"spec.image", "spec.storage.size.unit", "", ".", "spec.", "[", "a[b",
                            "spec..replicas[0].x"}) {
    INFO(field);
    CHECK_FALSE(suggest_field(schema(), field));
  }
}

}  // namespace
}  // namespace pgc::schema
