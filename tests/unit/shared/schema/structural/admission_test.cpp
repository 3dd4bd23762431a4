#include "shared/schema/structural/admission.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

namespace {

constexpr std::string_view kCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            default: {}
            properties:
              replicas: {type: integer, default: 1}
              note: {type: string}
              pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
          status:
            type: object
            default: {state: New}
            properties: {state: {type: string}, replicas: {type: integer}, selector: {type: string}}
)";

const Crd& crd() {
  static const Crd instance = parse_crd_yaml(kCrd).value();
  return instance;
}

Json thing(std::string_view fields) {
  Json object = from_yaml(fields);
  object["apiVersion"] = "example.com/v1";
  object["kind"] = "Thing";
  if (!object.contains("metadata")) object["metadata"]["name"] = "x";
  return object;
}

Admitted admitted(std::string_view fields, const Json* old = nullptr) {
  return admit(crd(), crd().versions.front(), thing(fields), old);
}

}  // namespace

TEST_CASE("an object is pruned, freed of nulls, defaulted, and its status is not the author's") {
  const Admitted result = admitted("{spec: {note: null, foo: 1}, status: {state: Old}}");
  CHECK(result.ok());
  CHECK(result.strict == std::vector<std::string>{"unknown field \"spec.foo\""});
  CHECK(result.object == thing("{spec: {replicas: 1}, status: {state: New}}"));
}

TEST_CASE("a change keeps the status") {
  const Json old = thing("{spec: {replicas: 1}, status: {state: Old}}");
  CHECK(admitted("{spec: {replicas: 2}, status: {state: Mine}}", &old).object ==
        thing("{spec: {replicas: 2}, status: {state: Old}}"));
}

TEST_CASE("an object that cannot be read is refused with the reason") {
  struct Case {
    std::string_view fields;
    std::string_view reason;
  };
  const Case cases[] = {
      {"{metadata: {name: 3}}",
       "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string"},
      {"{metadata: {name: x, labels: {a: 1}}}",
       "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"},
      {"{metadata: {name: x, ownerReferences: [{uid: 1}]}}",
       "json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.uid of "
       "type types.UID"},
      {"{metadata: text}", "json: cannot unmarshal string into Go value of type v1.ObjectMeta"},
      {"{spec: {pod: {apiVersion: 3, kind: Pod}}}",
       "spec.pod.apiVersion: Invalid value: 3: must be a string"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.fields);
    CHECK(admitted(c.fields).unreadable == c.reason);
  }
  Json other = thing("{}");
  other["apiVersion"] = "example.com/v2";
  CHECK(admit(crd(), crd().versions.front(), other).unreadable ==
        "the API version in the data (example.com/v2) does not match the expected API version "
        "(example.com/v1)");
}

TEST_CASE("metadata, embedded resources, lists and the fields of scale are looked at") {
  struct Case {
    std::string_view fields;
    std::vector<std::string> errors;
  };
  const Case cases[] = {
      {"{metadata: {labels: {a: b}}}",
       {"metadata.name: Required value: name or generateName is required"}},
      {"{metadata: {generateName: x-}}", {}},
      {"{metadata: {name: x, namespace: a.b}}",
       {R"(metadata.namespace: Invalid value: "a.b": must not contain dots)"}},
      {"{metadata: {name: x, finalizers: [orphan, foregroundDeletion]}}",
       {R"(metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set)"}},
      {"{metadata: {name: x, ownerReferences: [{apiVersion: v1, kind: Event, name: e, uid: '1'}]}}",
       {R"(metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"1"}: /v1, Kind=Event is disallowed from being an owner)"}},
      {"{spec: {pod: {kind: Pod}}}", {"spec.pod.apiVersion: Required value"}},
      {"{spec: {pod: {apiVersion: v1, kind: Pod, metadata: {name: a/b}}}}",
       {R"(spec.pod.metadata.name: Invalid value: "a/b": may not contain '/')"}},
      {"{spec: {set: [a, b, a, a]}}", {R"(spec.set[2]: Duplicate value: "a")"}},
      {"{spec: {replicas: -1}}",
       {".spec.replicas: Invalid value: -1: should be a non-negative integer"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.fields);
    CHECK(texts(admitted(c.fields).errors) == c.errors);
  }
}

TEST_CASE("a change may not touch what is immutable") {
  Json old = thing("{metadata: {name: x, uid: '1', deletionTimestamp: '2026-01-01T00:00:00Z'}}");
  CHECK(
      texts(admitted("{metadata: {name: x, uid: '2', finalizers: [a/b]}}", &old).errors) ==
      std::vector<std::string>{
          R"(metadata.uid: Invalid value: "2": field is immutable)",
          R"(metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/b"})"});
}

TEST_CASE("duplicates that were there before do not stand in the way") {
  const Json old = thing("{spec: {set: [a, a]}}");
  CHECK(admitted("{spec: {set: [a, a, b, b]}}", &old).ok());
}
