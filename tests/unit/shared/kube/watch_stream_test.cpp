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
  WatchStream stream{[this](const WatchEvent& event) {
    static constexpr const char* kNames[] = {"added", "modified", "deleted", "bookmark"};
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

}  // namespace
}  // namespace pgc::kube
