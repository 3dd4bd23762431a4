#include "shared/kube/object.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <nlohmann/json.hpp>

namespace pgc::kube {
namespace {

const Object kPod(Json::parse(R"({
  "kind": "Pod",
  "metadata": {
    "name": "my-db-1-0", "namespace": "shop", "uid": "u-1", "resourceVersion": "7", "generation": 3,
    "labels": {"db.example.com/role": "primary"},
    "annotations": {"status": "{}"},
    "deletionTimestamp": "2026-01-31T12:00:00Z",
    "ownerReferences": [{"uid": "reader"}, {"uid": "set", "controller": true}]
  }
})"));

TEST_CASE("an object tells its metadata") {
  CHECK(kPod.kind() == "Pod");
  CHECK(kPod.name() == "my-db-1-0");
  CHECK(kPod.ns() == "shop");
  CHECK(kPod.uid() == "u-1");
  CHECK(kPod.resource_version() == "7");
  CHECK(kPod.generation() == 3);
  CHECK(kPod.label("db.example.com/role") == "primary");
  CHECK(kPod.annotation("status") == "{}");
  CHECK(kPod.being_deleted());
}

TEST_CASE("of several owners the controller counts") {
  CHECK(kPod.controller_uid() == "set");
  CHECK(Object(Json::parse(R"({"metadata":{"ownerReferences":[{"uid":"a"},{"uid":"b"}]}})"))
            .controller_uid()
            .empty());
}

TEST_CASE("a document of any shape has accessors that are empty at worst") {
  const std::string text = GENERATE(
      as<std::string>{}, "{}", "null", "[]", "7", R"("text")", R"({"metadata": null})",
      R"({"metadata": []})", R"({"metadata": "x"})", R"({"kind": {}, "metadata": {"name": 7}})",
      R"({"metadata": {"labels": "x", "annotations": [], "ownerReferences": {}}})",
      R"({"metadata": {"labels": {"k": {}}, "ownerReferences": [null, 1, [], {"controller": 1}]}})",
      R"({"metadata": {"generation": "3", "deletionTimestamp": 7, "uid": true}})");
  CAPTURE(text);
  const Object object(Json::parse(text));
  CHECK(object.kind().empty());
  CHECK(object.name().empty());
  CHECK(object.ns().empty());
  CHECK(object.uid().empty());
  CHECK(object.resource_version().empty());
  CHECK(object.label("k").empty());
  CHECK(object.annotation("k").empty());
  CHECK(object.generation() == 0);
  CHECK_FALSE(object.being_deleted());
  CHECK(object.controller_uid().empty());
}

TEST_CASE("only the text of a JSON object parses to an object") {
  CHECK(Object::parse(R"({"kind": "Pod"})")->kind() == "Pod");
  for (const char* text : {"", "{", "null", "[]", "7", "{}{}", "<html>", "{\"a\": \"\xff\"}"}) {
    CAPTURE(text);
    CHECK_FALSE(Object::parse(text));
  }
}

TEST_CASE("a document nested a hundred thousand deep is read and dropped without harm") {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  CHECK(Object::parse(R"({"kind": "Pod", "x": )" + deep + "}")->kind() == "Pod");
}

TEST_CASE("a copy shares its document and outlives the original") {
  Object copy;
  {
    const Object original(Json{{"kind", "Pod"}});
    copy = original;
    CHECK(&copy.json() == &original.json());
  }
  CHECK(copy.kind() == "Pod");
}

TEST_CASE("values are found by their path of keys") {
  const Json document = Json::parse(R"({"a": {"b": {"n": 5, "s": "x", "z": null}}, "f": 1.5})");
  CHECK(string_at(document, {"a", "b", "s"}) == "x");
  CHECK(string_at(document, {"a", "b", "n"}).empty());
  CHECK(string_at(document, {"a", "s", "b"}).empty());
  CHECK(int_at(document, {"a", "b", "n"}) == 5);
  CHECK(int_at(document, {"a", "b", "s"}, -1) == -1);
  CHECK(int_at(document, {"f"}, -1) == -1);
  CHECK(find_at(document, {"a", "b", "z"})->is_null());
  CHECK(find_at(document, {"a", "b", "s", "deeper"}) == nullptr);
  CHECK(find_at(document, {}) == &document);
}

TEST_CASE("types and references read as kubectl writes them") {
  CHECK(kPods.api_version() == "v1");
  CHECK(kStatefulSets.api_version() == "apps/v1");
  CHECK(ObjectRef{kStatefulSets, "shop", "my-db-1"}.to_string() ==
        "statefulsets.apps shop/my-db-1");
  CHECK(ObjectRef{kPods, "shop", "my-db-1-0"}.to_string() == "pods shop/my-db-1-0");
  CHECK(ObjectRef{kMutatingWebhooks, "", "pgc"}.to_string() ==
        "mutatingwebhookconfigurations.admissionregistration.k8s.io pgc");
}

}  // namespace
}  // namespace pgc::kube
