#include "shared/schema/structural/default.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

namespace {

constexpr std::string_view kSchema = R"(
type: object
properties:
  count: {type: integer, default: 1}
  maybe: {type: string, nullable: true, default: x}
  plain: {type: string}
  inner: {type: object, default: {}, properties: {size: {type: string, default: 10Gi}}}
  bare: {type: object, properties: {size: {type: string, default: 10Gi}}}
  list: {type: array, items: {type: object, properties: {deep: {type: integer, default: 5}}}}
  map: {type: object, additionalProperties: {type: object, properties: {deep: {type: integer, default: 5}}}}
)";

struct Case {
  std::string_view given;
  std::string_view wanted;
};

}  // namespace

TEST_CASE("defaults are set where a field is absent, and only there") {
  const Schema schema = schema_from_yaml(kSchema);
  const Case cases[] = {
      {"{}", "{count: 1, maybe: x, inner: {size: 10Gi}}"},
      {"{count: 0, maybe: '', inner: {size: ''}}", "{count: 0, maybe: '', inner: {size: ''}}"},
      {"{count: null, maybe: null, plain: null}", "{count: 1, maybe: null, inner: {size: 10Gi}}"},
      {"{bare: {}}", "{count: 1, maybe: x, inner: {size: 10Gi}, bare: {size: 10Gi}}"},
      {"{list: [{}, null, {deep: 0}], map: {a: {}, b: null}}",
       "{count: 1, maybe: x, inner: {size: 10Gi}, list: [{deep: 5}, null, {deep: 0}], map: {a: "
       "{deep: 5}}}"},
      {"{inner: wrong, list: 3}", "{count: 1, maybe: x, inner: wrong, list: 3}"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.given);
    Json object = from_yaml(c.given);
    apply_defaults(schema, object);
    CHECK(object == from_yaml(c.wanted));
    Json again = object;
    apply_defaults(schema, again);
    CHECK(again == object);
  }
}
