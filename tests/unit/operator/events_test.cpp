#include "operator/events.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/api_server.h"

namespace pgc {
namespace {

using kube::Json;
using kube::Object;
using std::chrono::microseconds;

const Object kCluster(Json::parse(R"({"metadata": {"name": "my-db", "namespace": "shop",
                                                   "uid": "u", "resourceVersion": "7"}})"));
const std::chrono::sys_time<microseconds> kNow{microseconds(1'769'860'800'000'001)};

Json event(const reconcile::Event& event) {
  return event_object(event, kCluster, "pgc-operator-abc", kNow).json();
}

TEST_CASE("an event is about its cluster") {
  const Json object =
      event({.warning = true, .reason = "NoPrimary", .action = "Observe", .note = "nobody leads"});
  CHECK(object["apiVersion"] == "events.k8s.io/v1");
  CHECK(object["metadata"]["namespace"] == "shop");
  CHECK(object["eventTime"] == "2026-01-31T12:00:00.000001Z");
  CHECK(object["type"] == "Warning");
  CHECK(object["reason"] == "NoPrimary");
  CHECK(object["action"] == "Observe");
  CHECK(object["note"] == "nobody leads");
  CHECK(object["reportingInstance"] == "pgc-operator-abc");
  CHECK(object["regarding"]["kind"] == "PostgresCluster");
  CHECK(object["regarding"]["uid"] == "u");
  CHECK(event({})["type"] == "Normal");
}

TEST_CASE("events of different moments have different names") {
  const auto name = [](microseconds later) {
    return event_object({}, kCluster, "i", kNow + later).json()["metadata"]["name"];
  };
  CHECK(name(microseconds(0)) != name(microseconds(1)));
}

// A note quotes what people wrote, in any language; half a character would be no JSON.
TEST_CASE("a long note is cut between two characters") {
  for (const char* character : {"x", "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x90\x98"}) {
    std::string note = "a";
    while (note.size() < 2000) note += character;
    const Json object = event({.warning = false, .reason = "X", .action = "Y", .note = note});
    const std::string cut = object["note"];
    CHECK(cut.size() <= 1024);
    CHECK(cut.size() > 1020);
    CHECK_NOTHROW(object.dump());
  }
}

TEST_CASE("an Event that repeats is written once and then counted, and made anew when it is gone") {
  test::ApiServer server;
  const Log log([](const std::string&) {});
  EventRecorder recorder(server, "pgc-operator-abc", log);
  const reconcile::Event happening{
      .warning = true, .reason = "NoPrimary", .action = "Observe", .note = "nobody leads"};
  const auto events = [&] { return server.list(kube::kEvents, {.ns = "shop"})->items; };
  recorder.record(kCluster, happening, kNow);
  recorder.record(kCluster, happening, kNow + std::chrono::minutes(2));
  recorder.record(kCluster, happening, kNow + std::chrono::minutes(4));
  REQUIRE(events().size() == 1);
  CHECK(events()[0].json()["series"]["count"] == 3);
  CHECK(events()[0].json()["series"]["lastObservedTime"] == "2026-01-31T12:04:00.000001Z");
  server.erase({kube::kEvents, "shop", std::string(events()[0].name())});
  recorder.record(kCluster, happening, kNow + std::chrono::minutes(6));
  REQUIRE(events().size() == 1);
  CHECK_FALSE(events()[0].json().contains("series"));
}

}  // namespace
}  // namespace pgc
