#include "shared/kube/watch_stream.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace pgc::kube {
namespace {

const std::string kStream =
    R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"1"}}})"
    "\n"
    R"({"type":"MODIFIED","object":{"metadata":{"name":"zwölf","resourceVersion":"2"}}})"
    "\n\n"
    R"({"type":"DELETED","object":{"metadata":{"name":"a\n","resourceVersion":"3"}}})"
    "\n"
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"4"}}})"
    "\n";

struct Heard {
  std::vector<std::string> events;
  WatchStream stream{kPods, nullptr, [this](const WatchEvent& event) {
                       static constexpr const char* kNames[] = {"added", "modified", "deleted",
                                                                "bookmark"};
                       events.push_back(std::string(kNames[static_cast<int>(event.type)]) + " " +
                                        std::string(event.object.resource_version()));
                     }};
};

const std::vector<std::string> kAll{"added 1", "modified 2", "deleted 3", "bookmark 4"};

TEST_CASE("events come out in order, wherever the bytes are cut") {
  for (std::size_t cut = 0; cut <= kStream.size(); ++cut) {
    CAPTURE(cut);
    Heard heard;
    CHECK(heard.stream.feed(std::string_view(kStream).substr(0, cut)));
    CHECK(heard.stream.feed(std::string_view(kStream).substr(cut)));
    CHECK(heard.events == kAll);
    CHECK_FALSE(heard.stream.error());
  }
}

TEST_CASE("events come out in order, byte by byte") {
  Heard heard;
  for (const char byte : kStream) REQUIRE(heard.stream.feed({&byte, 1}));
  CHECK(heard.events == kAll);
}

TEST_CASE("an event without its newline has not happened yet") {
  Heard heard;
  CHECK(heard.stream.feed(R"({"type":"ADDED","object":{}})"));
  CHECK(heard.events.empty());
  CHECK(heard.stream.feed("\n"));
  CHECK(heard.events.size() == 1);
}

TEST_CASE("a stream ends between two lines, or it is none") {
  Heard heard;
  CHECK(heard.stream.feed(kStream));
  CHECK(heard.stream.finish());
  CHECK(heard.stream.feed("<html>"));
  CHECK_FALSE(heard.stream.finish());
  REQUIRE(heard.stream.error());
  CHECK(heard.stream.error()->is(ErrorKind::kMalformed));

  Heard cut;
  CHECK(cut.stream.feed(kStream.substr(0, kStream.size() - 5)));
  CHECK_FALSE(cut.stream.finish());
  REQUIRE(cut.stream.error());
  CHECK(cut.stream.error()->is(ErrorKind::kUnreachable));
}

TEST_CASE("an ERROR event ends the stream with the server's error") {
  Heard heard;
  CHECK_FALSE(heard.stream.feed(
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
      "\n" +
      kStream));
  CHECK(heard.events.empty());
  REQUIRE(heard.stream.error());
  CHECK(heard.stream.error()->is(ErrorKind::kGone));
  CHECK(heard.stream.error()->message == "too old");
  CHECK_FALSE(heard.stream.feed(kStream));
  CHECK(heard.events.empty());
}

TEST_CASE("a line that is no event ends the stream") {
  for (const char* line :
       {"<html>", "{}", "[]", "7", R"({"type":"ADDED"})", R"({"type":"ADDED","object":[]})",
        R"({"type":"ADDED","object":{"n":18446744073709551616}})",
        R"({"type":"RENAMED","object":{}})", R"({"type":7,"object":{}})", R"({"type":"ERROR"})",
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"\xff\"}}"}) {
    CAPTURE(line);
    Heard heard;
    CHECK_FALSE(heard.stream.feed(std::string(line) + "\n"));
    REQUIRE(heard.stream.error());
    CHECK(heard.stream.error()->is(ErrorKind::kMalformed));
    CHECK(heard.events.empty());
  }
}

std::vector<Json> objects_of(const json::Shape* keep, const std::string& line) {
  std::vector<Json> objects;
  WatchStream stream(kPods, keep,
                     [&](const WatchEvent& event) { objects.push_back(event.object.json()); });
  CHECK(stream.feed(line + "\n"));
  return objects;
}

TEST_CASE("an event has the members that are of interest, and its type in any case") {
  const std::string line =
      R"({"object":{"metadata":{"name":"a","managedFields":[{}],"uid":"u"},"spec":1,"status":{}},"type":"ADDED"})";
  const Json type{{"apiVersion", "v1"}, {"kind", "Pod"}};
  Json all = type;
  all["metadata"] = {{"name", "a"}, {"uid", "u"}};
  all["spec"] = 1;
  all["status"] = Json::object();
  CHECK(objects_of(nullptr, line) == std::vector<Json>{all});
  const json::Shape keep{
      .others = false,
      .members = {{.name = "metadata", .shape = {.others = false, .members = {{"name"}}}}}};
  Json kept = type;
  kept["metadata"] = {{"name", "a"}};
  CHECK(objects_of(&keep, line) == std::vector<Json>{kept});
}

TEST_CASE("an ERROR event is read whole, whatever is of interest in objects") {
  const json::Shape nothing{.others = false, .members = {}};
  WatchStream stream(kPods, &nothing, [](const WatchEvent&) {});
  CHECK_FALSE(stream.feed(
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
      "\n"));
  REQUIRE(stream.error());
  CHECK(stream.error()->is(ErrorKind::kGone));
  CHECK(stream.error()->message == "too old");
}

}  // namespace
}  // namespace pgc::kube
