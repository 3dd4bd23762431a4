#include "shared/kube/answer.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace pgc::kube {
namespace {

Result<ListPage> read(const std::string& text, const json::Shape* keep = nullptr) {
  json::Reader reader = answer_reader();
  return read_list(reader, text, kPods, keep);
}

TEST_CASE("a list has its items, where it stands and what to ask on with") {
  const auto page = read(
      R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":"more"},"items":[)"
      R"({"metadata":{"name":"a","managedFields":[1]},"spec":{"x":1}},{"metadata":{"name":"b"}}]})");
  REQUIRE(page);
  CHECK(page->list.resource_version == "7");
  CHECK(page->next == "more");
  REQUIRE(page->list.items.size() == 2);
  CHECK(page->list.items[0].json() == Json{{"apiVersion", "v1"},
                                           {"kind", "Pod"},
                                           {"metadata", {{"name", "a"}}},
                                           {"spec", {{"x", 1}}}});
}

TEST_CASE("of the items of a list only what is of interest is kept") {
  const json::Shape keep{.others = false, .members = {{"spec"}}};
  const auto page = read(
      R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"spec":1,"status":2}]})",
      &keep);
  REQUIRE(page);
  CHECK(page->list.resource_version == "7");
  CHECK(page->list.items[0].json() == Json{{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", 1}});
}

TEST_CASE("a list may be empty, but what is no list is not an empty one") {
  for (const char* empty : {R"({"kind":"PodList","metadata":{},"items":[]})",
                            R"({"kind":"PodList","metadata":{},"items":null})"}) {
    const auto page = read(empty);
    REQUIRE(page);
    CHECK(page->list.items.empty());
    CHECK(page->next.empty());
  }
  for (const char* text :
       {"", "<html>", "{}", "[]", "null", R"({"kind":"PodList"})", R"({"kind":"Pod","items":[]})",
        R"({"items":[]})", R"({"kind":"PodList","items":{}})", R"({"kind":"PodList","items":[1]})",
        R"({"kind":"PodList","items":[{},[]]})", R"({"kind":"PodList","items":[])",
        R"({"kind":"PodList","items":[{"n":18446744073709551616}]})"}) {
    CAPTURE(text);
    const auto page = read(text);
    REQUIRE_FALSE(page);
    CHECK(page.error().is(ErrorKind::kMalformed));
  }
}

TEST_CASE("an object is one with a kind, and nothing else is") {
  json::Reader reader = answer_reader();
  const auto object =
      read_object(reader, R"({"kind":"Pod","metadata":{"managedFields":[]}})", "GET /x");
  REQUIRE(object);
  CHECK(object->json() == Json{{"kind", "Pod"}, {"metadata", Json::object()}});
  const json::Shape name{
      .others = false,
      .members = {{"kind"}, {"metadata", true, {.others = false, .members = {{"name"}}}}}};
  const auto part = read_object(
      reader, R"({"kind":"Pod","metadata":{"name":"a","uid":"u"},"spec":{}})", "GET /x", &name);
  REQUIRE(part);
  CHECK(part->json() == Json{{"kind", "Pod"}, {"metadata", {{"name", "a"}}}});
  for (const char* text : {"", "<html>", "{}", "[]", R"({"kind":7})", R"({"kind":"Pod")",
                           R"({"kind":"Pod","n":-9223372036854775809})"}) {
    CAPTURE(text);
    const auto refused = read_object(reader, text, "GET /x");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().is(ErrorKind::kMalformed));
    CHECK(refused.error().message == "the server answered GET /x with no object of Kubernetes");
  }
}

}  // namespace
}  // namespace pgc::kube
