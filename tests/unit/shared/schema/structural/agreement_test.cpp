// The two ways to a verdict inside the engine, valijson's and our own, held to each other. That
// both are the API server's is proven in tests/agreement.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/default.h"
#include "shared/schema/structural/explain.h"
#include "shared/schema/structural/plain.h"
#include "shared/schema/structural/prune.h"
#include "shared/schema/structural/verdict.h"
#include "tests/support/generate.h"
#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

namespace {

constexpr std::string_view kMixed = R"(
type: object
required: [spec]
properties:
  spec:
    type: object
    required: [text]
    properties:
      text: {type: string, minLength: 2, maxLength: 5, pattern: '^[a-z]+$'}
      whole: {type: integer, minimum: -3, maximum: 9, exclusiveMaximum: true}
      small: {type: integer, format: int32}
      real: {type: number, minimum: 0.5, multipleOf: 0.25}
      choice: {type: string, enum: [a, b], nullable: true}
      amount: {x-kubernetes-int-or-string: true, pattern: '^[0-9]+$'}
      time: {type: string, format: date-time}
      list: {type: array, minItems: 1, maxItems: 3, items: {type: integer, minimum: 1}}
      map: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: string}}
      any: {type: object, properties: {a: {type: integer}, b: {type: integer}}, anyOf: [{required: [a]}, {required: [b]}]}
      one: {type: object, properties: {a: {type: integer}, b: {type: integer}}, oneOf: [{required: [a]}, {required: [b]}]}
      all: {type: integer, allOf: [{minimum: 1}, {maximum: 5}], not: {enum: [3]}}
)";

int check_objects(const Schema& schema, const Json& open_api) {
  pgc::test::Generator generator(open_api, 11);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    Json object = i % 4 == 0   ? generator.valid()
                  : i % 9 == 0 ? generator.hostile()
                               : generator.nearly_valid();
    prune(schema, object);
    apply_defaults(schema, object);
    const Schema::Compiled& compiled = schema.compiled();
    const auto errors = explain(compiled.tree, object, nullptr);
    CAPTURE(object.dump(-1, ' ', false, Json::error_handler_t::replace), texts(errors));
    if (passes(*compiled.verdict, object) && is_plain(compiled.tree, object)) {
      CHECK(errors.empty());
    }
    if (!errors.empty()) ++refused;
  }
  return refused;
}

}  // namespace

TEST_CASE("where valijson has no objection, we have none") {
  const Json mixed = from_yaml(kMixed);
  CHECK(check_objects(schema_from_yaml(kMixed), mixed) > 500);
  const Json ours =
      from_yaml(postgrescluster_crd())["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
  CHECK(check_objects(postgrescluster_schema(), ours) > 500);
}
