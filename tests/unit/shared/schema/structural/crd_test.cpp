#include "shared/schema/structural/crd.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

namespace {

std::string crd_with_schema(std::string_view schema) {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
         "spec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things, "
         "shortNames: [th]},\n"
         "  versions: [{name: v1, served: true, storage: true, subresources: {status: {}},\n"
         "    schema: {openAPIV3Schema: " +
         std::string(schema) + "}}]}\n";
}

}  // namespace

TEST_CASE("a CRD says what it defines") {
  const auto crd = parse_crd_yaml("a: document before\n---\n" + crd_with_schema("{type: object}"));
  REQUIRE(crd);
  CHECK(crd->group == "example.com");
  CHECK(crd->kind == "Thing");
  CHECK(crd->plural == "things");
  CHECK(crd->short_names == std::vector<std::string>{"th"});
  CHECK(crd->namespaced);
  REQUIRE(crd->version("v1") != nullptr);
  CHECK(crd->version("v1")->storage);
  CHECK(crd->version("v1")->has_status);
  CHECK(crd->version("v2") == nullptr);
}

TEST_CASE("a CRD that cannot be used is refused with the place") {
  struct Case {
    std::string text;
    std::string_view error;
  };
  const Case cases[] = {
      {"kind: Pod", "holds no CustomResourceDefinition"},
      {"kind: CustomResourceDefinition", "apiVersion: must be apiextensions.k8s.io/v1"},
      {crd_with_schema("[]"),
       "spec.versions[v1].schema.openAPIV3Schema: must be a schema, an object"},
      {crd_with_schema("{type: object, properties: {a: {type: string, pattern: '('}}}"),
       "spec.versions[v1].schema.openAPIV3Schema.properties[a].pattern: must be a regular "
       "expression of RE2: "
       "missing ): ("},
  };
  for (const Case& c : cases) {
    const auto crd = parse_crd_yaml(c.text);
    REQUIRE_FALSE(crd);
    CHECK(crd.error() == c.error);
  }
}

TEST_CASE("keywords of a wrong type are an error, not an exception") {
  for (std::string_view schema :
       {"{type: object, required: 1}", "{minimum: x}", "{enum: 1}", "{properties: []}",
        "{maxLength: -1}", "{anyOf: 1}", "{items: 3}", "{type: 3}"}) {
    CAPTURE(schema);
    CHECK_NOTHROW(parse_crd_yaml(crd_with_schema(schema)));
  }
}

TEST_CASE("CEL rules are counted, wherever they stand") {
  const Schema schema = schema_from_yaml(R"(
type: object
x-kubernetes-validations: [{rule: a}, {rule: b}]
properties:
  list: {type: array, items: {type: string, x-kubernetes-validations: [{rule: c}]}}
)");
  CHECK(schema.rule_count() == 3);
}
