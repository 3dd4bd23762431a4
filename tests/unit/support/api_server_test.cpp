// The in-memory API server by itself; tests/contract compares it with the real one.
#include "tests/support/api_server.h"

#include <catch2/catch_test_macros.hpp>
#include <thread>

namespace pgc::test {
namespace {

using namespace std::chrono_literals;
using kube::ErrorKind;
using kube::Json;
using kube::Object;
using kube::ObjectRef;
using Texts = std::vector<std::string>;

ObjectRef map_ref(const std::string& name) {
  return {kube::kConfigMaps, "shop", name};
}

Json map(const std::string& name, const Json& data = Json::object()) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "shop"}, {"labels", {{"app", name}}}}},
          {"data", data}};
}

kube::Result<Object> apply(ApiServer& server, const std::string& manager, const Json& body,
                           bool force = false) {
  return server.patch(map_ref(body["metadata"]["name"]), kube::PatchType::kApply, body,
                      {.field_manager = manager, .force = force});
}

// Writes down what one watch is told, in a thread of its own.
class Listener {
 public:
  Listener(ApiServer& server, kube::ListOptions options, const std::string& from)
      : thread_([=, this, &server](std::stop_token stop) {
          result_ = server.watch(
              kube::kConfigMaps, options, from,
              [this](const kube::WatchEvent& event) {
                static const Texts kSigns = {"+", "~", "-", "="};
                const std::lock_guard lock(mutex_);
                heard_.push_back(kSigns[static_cast<std::size_t>(event.type)] +
                                 std::string(event.object.name()));
                last_ = event.object;
              },
              stop);
          ended_ = true;
        }) {}

  Texts heard(std::size_t count) {
    for (int i = 0; i < 5000 && size() < count; ++i) std::this_thread::sleep_for(1ms);
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  Object last() {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  kube::Result<void> result() {
    for (int i = 0; i < 5000 && !ended_; ++i) std::this_thread::sleep_for(1ms);
    REQUIRE(ended_);
    return result_;
  }
  void stop() { thread_.request_stop(); }

 private:
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return heard_.size();
  }

  std::mutex mutex_;
  Texts heard_;
  Object last_;
  kube::Result<void> result_;
  std::atomic<bool> ended_{false};
  std::jthread thread_;
};

TEST_CASE("a watch tells what happens after its version, in order, and every watch hears it") {
  ApiServer server;
  server.put(map_ref("a"), map("a"));
  const std::string from = server.list(kube::kConfigMaps, {})->resource_version;
  Listener one(server, {.ns = "shop"}, from);
  server.put(map_ref("b"), map("b"));
  server.change(map_ref("a"), {{"data", {{"x", "1"}}}});
  server.put({kube::kConfigMaps, "elsewhere", "c"}, map("c"));
  REQUIRE(server.remove(map_ref("b"), {}));
  CHECK(one.heard(3) == Texts{"+b", "~a", "-b"});
  CHECK(one.last().resource_version() == std::to_string(server.version()));
  Listener late(server, {.ns = "shop"}, from);
  CHECK(late.heard(3) == one.heard(3));
  server.end_watches();
  CHECK(one.result());
  CHECK(late.result());
}

TEST_CASE("an object enters and leaves a watch with its labels") {
  ApiServer server;
  server.put(map_ref("a"), map("a"));
  Listener listener(server, {.label_selector = "app=a"}, std::to_string(server.version()));
  server.change(map_ref("a"), {{"metadata", {{"labels", {{"app", "b"}}}}}});
  CHECK(listener.heard(1) == Texts{"-a"});
  CHECK(listener.last().label("app") == "a");
  server.change(map_ref("a"), {{"metadata", {{"labels", {{"app", "a"}}}}}});
  CHECK(listener.heard(2) == Texts{"-a", "+a"});
  listener.stop();
  CHECK(listener.result());
}

TEST_CASE("what has been compacted is gone, for new watches and for those that are behind") {
  ApiServer server;
  server.put(map_ref("a"), map("a"));
  const std::string from = std::to_string(server.version());
  server.put(map_ref("b"), map("b"));
  server.compact();
  const auto refused = server.watch(kube::kConfigMaps, {}, from, [](const auto&) {}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().is(ErrorKind::kGone));
  CHECK(refused.error().reason == "Expired");
  Listener current(server, {}, std::to_string(server.version()));
  server.put(map_ref("c"), map("c"));
  CHECK(current.heard(1) == Texts{"+c"});
}

TEST_CASE("a bookmark comes after everything before it, and carries the version only") {
  ApiServer server;
  Listener listener(server, {}, std::to_string(server.version()));
  for (int i = 0; i < 5000 && server.open_watches() == 0; ++i) std::this_thread::sleep_for(1ms);
  server.put(map_ref("a"), map("a"));
  server.send_bookmarks();
  CHECK(listener.heard(2) == Texts{"+a", "="});
  CHECK(listener.last().resource_version() == std::to_string(server.version()));
}

TEST_CASE("initial events come first, then a bookmark that says that they have ended") {
  ApiServer server;
  server.put(map_ref("a"), map("a"));
  server.put(map_ref("b"), map("b"));
  Listener listener(server, {.initial_events = true}, "");
  CHECK(listener.heard(3) == Texts{"+a", "+b", "="});
  CHECK(listener.last().annotation("k8s.io/initial-events-end") == "true");
  server.put(map_ref("c"), map("c"));
  CHECK(listener.heard(4) == Texts{"+a", "+b", "=", "+c"});

  server.stream_lists(false);
  const auto refused =
      server.watch(kube::kConfigMaps, {.initial_events = true}, "", [](const auto&) {}, {});
  CHECK(refused.error().is(ErrorKind::kInvalid));
}

TEST_CASE("a watch is told only the members that it wants to keep") {
  ApiServer server;
  const json::Shape shape{.others = false, .members = {{"metadata", true, {}}}};
  server.put(map_ref("a"), map("a", {{"x", "1"}}));
  CHECK_FALSE(
      server.list(kube::kConfigMaps, {.keep = &shape})->items.at(0).json().contains("data"));
  Listener listener(server, {.keep = &shape}, "");
  CHECK(listener.heard(1) == Texts{"+a"});
  CHECK(listener.last().json().size() == 1);
}

TEST_CASE("applied fields have owners: conflicts are listed, force takes, what is left out goes") {
  ApiServer server;
  REQUIRE(apply(server, "one", map("m", {{"a", "1"}, {"b", "2"}})));
  const auto refused = apply(server, "two", map("m", {{"a", "9"}, {"c", "3"}}));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().is(ErrorKind::kConflict));
  REQUIRE(refused.error().causes.size() == 1);
  CHECK(refused.error().causes[0].field == ".data.a");
  CHECK(refused.error().message == "Apply failed with 1 conflict: conflict with \"one\": .data.a");
  REQUIRE(apply(server, "two", map("m", {{"a", "9"}, {"c", "3"}}), /*force=*/true));
  REQUIRE(apply(server, "one", map("m", {{"b", "2"}})));
  CHECK(server.get(map_ref("m"))->json()["data"] == Json{{"a", "9"}, {"b", "2"}, {"c", "3"}});
  REQUIRE(apply(server, "two", map("m", {{"c", "3"}})));
  CHECK(server.get(map_ref("m"))->json()["data"] == Json{{"b", "2"}, {"c", "3"}});
}

TEST_CASE("an apply that says the same again writes nothing") {
  ApiServer server;
  const auto first = apply(server, "one", map("m", {{"a", "1"}}));
  CHECK(apply(server, "one", map("m", {{"a", "1"}}))->resource_version() ==
        first->resource_version());
  CHECK(server.writes.size() == 1);
}

TEST_CASE("a finalizer holds an object until it is taken away, and none can be added meanwhile") {
  ApiServer server;
  Json held = map("m");
  held["metadata"]["finalizers"] = {"example.com/a"};
  REQUIRE(server.create(kube::kConfigMaps, "shop", Object(held), {}));
  REQUIRE(server.remove(map_ref("m"), {}));
  CHECK(server.get(map_ref("m"))->being_deleted());
  const auto patch = [&](const Json& finalizers) {
    return server.patch(map_ref("m"), kube::PatchType::kMerge,
                        {{"metadata", {{"finalizers", finalizers}}}}, {});
  };
  CHECK(patch({"example.com/a", "example.com/b"}).error().is(ErrorKind::kInvalid));
  CHECK(patch(nullptr));
  CHECK_FALSE(server.has(map_ref("m")));
}

TEST_CASE("a dry run answers and changes nothing") {
  ApiServer server;
  CHECK(server.create(kube::kConfigMaps, "shop", Object(map("m")), {.dry_run = true}));
  CHECK_FALSE(server.has(map_ref("m")));
  CHECK(server.writes.empty());
}

TEST_CASE("what the server does not have is refused as not implemented") {
  ApiServer server;
  const kube::ResourceType nodes{"", "v1", "nodes", "Node", false};
  CHECK(server.get({nodes, "", "n"}).error().code == 501);
  CHECK(server.list(kube::kPods, {.field_selector = "spec.nodeName=n"}).error().code == 501);
  CHECK(
      server.patch(map_ref("m"), kube::PatchType::kMerge, Json::object(), {.subresource = "status"})
          .error()
          .code == 501);
}

}  // namespace
}  // namespace pgc::test
