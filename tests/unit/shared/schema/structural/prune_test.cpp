#include "shared/schema/structural/prune.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

namespace {

constexpr std::string_view kSchema = R"(
type: object
properties:
  spec:
    type: object
    properties:
      name: {type: string}
      list: {type: array, items: {type: object, properties: {a: {type: string}}}}
      map: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}
      any: {type: object, additionalProperties: true}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: object}}}
      pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
)";

struct Case {
  std::string_view object;
  std::vector<std::string> messages;
  std::string_view pruned;
};

}  // namespace

TEST_CASE("unknown fields are named and removed") {
  const Schema schema = schema_from_yaml(kSchema);
  const Case cases[] = {
      {"{apiVersion: v1, kind: A, metadata: {name: x}, spec: {name: a}}",
       {},
       "{apiVersion: v1, kind: A, metadata: {name: x}, spec: {name: a}}"},
      {"{spec: {foo: 1}, status: {}}",
       {"unknown field \"spec.foo\"", "unknown field \"status\""},
       "{spec: {}}"},
      {"{metadata: {name: x, color: red}}",
       {"unknown field \"metadata.color\""},
       "{metadata: {name: x}}"},
      {"{spec: {list: [{a: x}, {b: 1}]}}",
       {"unknown field \"spec.list[1].b\""},
       "{spec: {list: [{a: x}, {}]}}"},
      {"{spec: {map: {k: {a: x, b: 1}}}}",
       {"unknown field \"spec.map.k.b\""},
       "{spec: {map: {k: {a: x}}}}"},
      {"{spec: {any: {k: 1, o: {b: 1}}}}",
       {"unknown field \"spec.any.o.b\""},
       "{spec: {any: {k: 1, o: {}}}}"},
      {"{spec: {free: {x: {y: 1}, known: {z: 1}}}}",
       {"unknown field \"spec.free.known.z\""},
       "{spec: {free: {x: {y: 1}, known: {}}}}"},
      {"{spec: {pod: {apiVersion: v1, kind: Pod, metadata: {foo: 1}, spec: {x: 1}}}}",
       {"unknown field \"spec.pod.metadata.foo\""},
       "{spec: {pod: {apiVersion: v1, kind: Pod, metadata: {}, spec: {x: 1}}}}"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.object);
    Json object = from_yaml(c.object);
    CHECK(unknown_fields(schema, object) == c.messages);
    CHECK(prune(schema, object) == c.messages);
    CHECK(object == from_yaml(c.pruned));
  }
}
