#include "tests/support/generate.h"

#include <re2/re2.h>

#include <catch2/catch_test_macros.hpp>

#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/default.h"
#include "shared/schema/structural/prune.h"
#include "shared/schema/structural/validate.h"
#include "shared/schema/structural/yaml.h"
#include "tests/support/sample_pattern.h"

using namespace pgc;
using namespace pgc::test;

namespace {

Json open_api_of_postgrescluster() {
  const auto documents = schema::parse_yaml(schema::postgrescluster_crd());
  REQUIRE(documents);
  return documents->front().value.at("/spec/versions/0/schema/openAPIV3Schema"_json_pointer);
}

bool accepted(Json object) {
  const schema::Schema& schema = schema::postgrescluster_schema();
  if (!schema::prune(schema, object).empty()) return false;
  schema::apply_defaults(schema, object);
  return schema::validate(schema, object).empty();
}

}  // namespace

TEST_CASE("the same seed makes the same objects", "[generate]") {
  const Json open_api = open_api_of_postgrescluster();
  Generator one(open_api, 7);
  Generator same(open_api, 7);
  Generator other(open_api, 8);
  int differences = 0;
  for (int i = 0; i < 50; ++i) {
    const Json object = one.valid();
    CHECK(object == same.valid());
    CHECK(one.nearly_valid() == same.nearly_valid());
    CHECK(one.hostile() == same.hostile());
    CHECK(one.mutate(object) == same.mutate(object));
    if (object != other.valid()) ++differences;
  }
  CHECK(differences > 40);
}

TEST_CASE("valid objects are valid, and what went wrong is told", "[generate]") {
  Generator generator(open_api_of_postgrescluster(), 1, {{"kind", "PostgresCluster"}});
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    const Json object = generator.valid();
    CAPTURE(object.dump());
    CHECK(object.at("kind") == "PostgresCluster");
    CHECK(accepted(object));
    CHECK(generator.slips().empty());
    const Json wrong = generator.nearly_valid();
    CHECK_FALSE(generator.slips().empty());
    if (!accepted(wrong)) ++refused;
  }
  CHECK(refused > 100);
  CHECK(refused < 290);
}

TEST_CASE("patterns are sampled", "[generate]") {
  Random random(3);
  for (const char* pattern :
       {"^[a-z]([-a-z0-9]*[a-z0-9])?$", "^(a|b.c|[^0-9]x)+$", R"(^\d{2,4}-(?:ab|cd)\.[\w_]?$)",
        "^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$",
        R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$)"}) {
    for (int i = 0; i < 50; ++i) {
      const std::string text = sample_pattern(pattern, random);
      CAPTURE(pattern, text);
      CHECK(re2::RE2::PartialMatch(text, pattern));
    }
  }
}
