// Our client against a real API server (KUBECONFIG): what it sends is understood, and what the
// server answers comes out as the header says. In a namespace of its own.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "shared/kube/client.h"
#include "shared/kube/kubeconfig.h"
#include "tests/apiserver/webhook_support.h"

namespace pgc::kube {
namespace {

using namespace std::chrono_literals;

constexpr ResourceType kNamespaces{"", "v1", "namespaces", "Namespace", false};
const std::string kNs = "kube-client-test";

Config cluster_config() {
  auto config = load_kubeconfig({}, [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
  INFO((config ? "" : config.error().message));
  REQUIRE(config);
  return *config;
}

std::unique_ptr<Client> connect(const Config& config) {
  auto client = make_http_client(config, {.user_agent = "pgc-tests", .timeout = 10s});
  INFO((client ? "" : client.error().message));
  REQUIRE(client);
  return std::move(*client);
}

ObjectRef map_ref(const std::string& name) {
  return {kConfigMaps, kNs, name};
}

Object a_map(const std::string& name, const Json& data = {{"key", "value"}}) {
  return Object(
      Json{{"apiVersion", "v1"},
           {"kind", "ConfigMap"},
           {"metadata", {{"name", name}, {"namespace", kNs}, {"labels", {{"test", name}}}}},
           {"data", data}});
}

// The namespace without any ConfigMap of an earlier test.
class Server {
 public:
  Server() {
    (void)client->create(kNamespaces, "", Object(Json{{"metadata", {{"name", kNs}}}}), {});
    const ObjectList left = client->list(kConfigMaps, {.ns = kNs}).value();
    for (const Object& map : left.items) (void)client->remove(map_ref(std::string(map.name())), {});
  }

  Object make(const std::string& name) {
    return client->create(kConfigMaps, kNs, a_map(name), {}).value();
  }

  std::unique_ptr<Client> client = connect(cluster_config());
};

template <typename T>
ErrorKind kind_of(const Result<T>& result) {
  REQUIRE_FALSE(result);
  INFO(result.error().message);
  return result.error().kind;
}

TEST_CASE("an object is created, read, listed, replaced and removed", "[kube]") {
  Server server;
  Client& client = *server.client;
  const Object made = server.make("a");
  CHECK_FALSE(made.uid().empty());
  server.make("b");
  CHECK(client.get(map_ref("a"))->uid() == made.uid());

  const ObjectList one = client.list(kConfigMaps, {.ns = kNs, .label_selector = "test=a"}).value();
  REQUIRE(one.items.size() == 1);
  CHECK(one.items[0].name() == "a");
  CHECK(one.items[0].kind() == "ConfigMap");
  CHECK_FALSE(one.resource_version.empty());
  const ObjectList by_field =
      client.list(kConfigMaps, {.ns = kNs, .field_selector = "metadata.name=b"}).value();
  REQUIRE(by_field.items.size() == 1);
  CHECK(by_field.items[0].name() == "b");
  CHECK(client.list(kConfigMaps, {.label_selector = "test in (a,b)"})->items.size() == 2);

  Json changed = made.json();
  changed["data"]["key"] = "other";
  REQUIRE(client.replace(map_ref("a"), Object(changed), {}));
  CHECK(kind_of(client.replace(map_ref("a"), Object(changed), {})) == ErrorKind::kConflict);

  CHECK(client.remove(map_ref("a"), {}));
  CHECK(kind_of(client.get(map_ref("a"))) == ErrorKind::kNotFound);
}

std::string value_of(const Result<Object>& map, std::string_view key = "key") {
  INFO((map ? "" : map.error().message));
  REQUIRE(map);
  return std::string(string_at(map->json(), {"data", key}));
}

TEST_CASE("a list that is longer than a chunk is whole", "[kube]") {
  Server server;
  constexpr int kMany = 520;
  for (int i = 0; i < kMany; ++i) {
    REQUIRE(server.client->create(kConfigMaps, kNs, a_map("many-" + std::to_string(i)), {}));
  }
  const ObjectList list = server.client->list(kConfigMaps, {.ns = kNs}).value();
  std::set<std::string> names;
  for (const Object& item : list.items) names.emplace(item.name());
  CHECK(std::count_if(names.begin(), names.end(),
                      [](const std::string& name) { return name.starts_with("many-"); }) == kMany);
  CHECK(names.size() == list.items.size());
  CHECK_FALSE(list.resource_version.empty());
}

TEST_CASE("an apply creates, changes, takes away what it no longer says, and respects others",
          "[kube]") {
  Server server;
  Client& client = *server.client;
  const WriteOptions ours{.field_manager = "ours"};
  const auto apply = [&](const Json& data, const WriteOptions& options) {
    return client.patch(map_ref("a"), PatchType::kApply, a_map("a", data).json(), options);
  };
  REQUIRE(apply({{"key", "1"}, {"more", "x"}}, ours));
  const auto smaller = apply({{"key", "2"}}, ours);
  CHECK(value_of(smaller) == "2");
  CHECK(value_of(smaller, "more").empty());

  const auto again = apply({{"key", "2"}}, ours);
  REQUIRE(again);
  CHECK(again->resource_version() == smaller->resource_version());

  const WriteOptions theirs{.field_manager = "theirs"};
  const auto conflict = apply({{"key", "3"}}, theirs);
  CHECK(kind_of(conflict) == ErrorKind::kConflict);
  CHECK(conflict.error().message.find("ours") != std::string::npos);
  CHECK(value_of(apply({{"key", "3"}}, {.field_manager = "theirs", .force = true})) == "3");
}

TEST_CASE("an apply that names another UID is refused", "[kube]") {
  Server server;
  Json wanted = a_map("a").json();
  wanted["metadata"]["uid"] = "11111111-2222-3333-4444-555555555555";
  const auto apply = [&] {
    return server.client->patch(map_ref("a"), PatchType::kApply, wanted,
                                {.field_manager = "ours", .force = true});
  };
  CHECK(kind_of(apply()) == ErrorKind::kConflict);
  server.make("a");
  CHECK(kind_of(apply()) == ErrorKind::kInvalid);  // so the executor looks who is there
  CHECK(value_of(server.client->get(map_ref("a"))) == "value");
}

TEST_CASE("merge and JSON patches", "[kube]") {
  Server server;
  Client& client = *server.client;
  const Object made = server.make("a");
  CHECK(value_of(client.patch(map_ref("a"), PatchType::kMerge, {{"data", {{"key", "merged"}}}},
                              {})) == "merged");
  const auto json_patch = [&](const std::string& op, std::string_view version) {
    return client.patch(
        map_ref("a"), PatchType::kJson,
        Json::array({{{"op", op}, {"path", "/metadata/resourceVersion"}, {"value", version}},
                     {{"op", "replace"}, {"path", "/data/key"}, {"value", "patched"}}}),
        {.field_manager = "ours"});
  };
  // The reason why our patches set the resourceVersion instead of testing it.
  CHECK(kind_of(json_patch("test", made.resource_version())) == ErrorKind::kInvalid);
  CHECK(kind_of(json_patch("replace", made.resource_version())) == ErrorKind::kConflict);
  const Object now = client.get(map_ref("a")).value();
  CHECK(value_of(json_patch("replace", now.resource_version())) == "patched");
}

TEST_CASE("a dry run changes nothing", "[kube]") {
  Server server;
  server.make("a");
  CHECK(value_of(server.client->patch(map_ref("a"), PatchType::kMerge,
                                      {{"data", {{"key", "tried"}}}}, {.dry_run = true})) ==
        "tried");
  CHECK(value_of(server.client->get(map_ref("a"))) == "value");
}

TEST_CASE("strict validation refuses a field that nobody knows", "[kube]") {
  Server server;
  Json typo = a_map("a").json();
  typo["datas"] = Json::object();
  const auto strict =
      server.client->create(kConfigMaps, kNs, Object(typo), {.field_validation = "Strict"});
  CHECK(kind_of(strict) == ErrorKind::kBadRequest);
  CHECK(strict.error().message.find("datas") != std::string::npos);
  CHECK(server.client->create(kConfigMaps, kNs, Object(typo), {}));
}

TEST_CASE("a delete goes through only while the object is the one meant", "[kube]") {
  Server server;
  Client& client = *server.client;
  const Object made = server.make("a");
  const std::string version(made.resource_version());
  CHECK(kind_of(client.remove(map_ref("a"), {.uid = "11111111-2222-3333-4444-555555555555"})) ==
        ErrorKind::kConflict);
  CHECK(kind_of(client.remove(map_ref("a"), {.resource_version = "1"})) == ErrorKind::kConflict);
  CHECK(client.remove(map_ref("a"), {.uid = std::string(made.uid()), .resource_version = version}));
  CHECK(kind_of(client.remove(map_ref("a"), {})) == ErrorKind::kNotFound);
}

TEST_CASE("errors of the server keep their kind, reason and causes", "[kube]") {
  Server server;
  Client& client = *server.client;
  server.make("a");
  const auto twice = client.create(kConfigMaps, kNs, a_map("a"), {});
  CHECK(kind_of(twice) == ErrorKind::kAlreadyExists);
  CHECK(twice.error().reason == "AlreadyExists");
  CHECK(twice.error().code == 409);

  const auto invalid = client.create(kConfigMaps, kNs, a_map("Not_A_Name"), {});
  CHECK(kind_of(invalid) == ErrorKind::kInvalid);
  REQUIRE(invalid.error().causes.size() == 1);
  CHECK(invalid.error().causes[0].field == "metadata.name");
  CHECK(invalid.error().causes[0].message.find("RFC 1123") != std::string::npos);

  constexpr ResourceType kUnknown{"nowhere.example.com", "v1", "things", "Thing"};
  CHECK(kind_of(client.list(kUnknown, {})) == ErrorKind::kNotFound);
}

TEST_CASE("who shows a bad token is not let in, and who may not is told so", "[kube]") {
  Config config = cluster_config();
  config.impersonate_user = "nobody-in-particular";
  CHECK(kind_of(connect(config)->list(kSecrets, {.ns = kNs})) == ErrorKind::kForbidden);

  config.impersonate_user.clear();
  config.client_certificate_pem.clear();
  config.client_key_pem.clear();
  config.token = "bad";
  CHECK(kind_of(connect(config)->list(kSecrets, {})) == ErrorKind::kUnauthorized);
}

TEST_CASE("a server that is not there, or not the one we trust, is unreachable", "[kube]") {
  Config config = cluster_config();
  config.server = "https://127.0.0.1:1";
  CHECK(kind_of(connect(config)->get(map_ref("a"))) == ErrorKind::kUnreachable);
  config = cluster_config();
  config.tls_server_name = "somebody-else.example.com";
  CHECK(kind_of(connect(config)->get(map_ref("a"))) == ErrorKind::kUnreachable);
}

TEST_CASE("several threads share one client", "[kube]") {
  Server server;
  server.make("a");
  std::atomic<int> read{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 25; ++k) read += server.client->get(map_ref("a")).has_value() ? 1 : 0;
      });
    }
  }
  CHECK(read == 200);
}

// A watch in a thread of its own, and what it has heard.
class Watch {
 public:
  Watch(Client& client, const std::string& from, const std::string& selector = "")
      : thread_([this, &client, from, selector](std::stop_token stop) {
          result_ = client.watch(
              kConfigMaps, {.ns = kNs, .label_selector = selector}, from,
              [this](const WatchEvent& event) { hear(event); }, stop);
        }) {}

  std::vector<std::string> heard(std::size_t at_least) {
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (std::chrono::steady_clock::now() < until) {
      {
        const std::lock_guard lock(mutex_);
        if (heard_.size() >= at_least) return heard_;
      }
      std::this_thread::sleep_for(5ms);
    }
    const std::lock_guard lock(mutex_);
    return heard_;
  }

  std::string last_version() {
    const std::lock_guard lock(mutex_);
    return last_;
  }

  Result<void> stop() {
    thread_.request_stop();
    thread_.join();
    return result_;
  }

 private:
  void hear(const WatchEvent& event) {
    if (event.type == WatchEventType::kBookmark) return;
    static constexpr const char* kNames[] = {"added", "modified", "deleted"};
    const std::lock_guard lock(mutex_);
    heard_.push_back(std::string(kNames[static_cast<int>(event.type)]) + " " +
                     std::string(event.object.name()));
    last_ = event.object.resource_version();
  }

  std::mutex mutex_;
  std::vector<std::string> heard_;
  std::string last_;
  Result<void> result_;
  std::jthread thread_;
};

using Texts = std::vector<std::string>;

std::string here(Client& client) {
  return client.list(kConfigMaps, {.ns = kNs}).value().resource_version;
}

TEST_CASE("a watch tells what happens from its place on, and resumes where it ended", "[kube]") {
  Server server;
  Client& client = *server.client;
  server.make("before");
  Watch first(client, here(client));
  server.make("a");
  REQUIRE(client.patch(map_ref("a"), PatchType::kMerge, {{"data", {{"key", "2"}}}}, {}));
  CHECK(first.heard(2) == Texts{"added a", "modified a"});
  CHECK(first.stop());

  REQUIRE(client.remove(map_ref("a"), {}));
  server.make("b");
  Watch second(client, first.last_version());
  CHECK(second.heard(2) == Texts{"deleted a", "added b"});
  CHECK(second.stop());
}

TEST_CASE("a list and a watch read only what is of interest", "[kube]") {
  Server server;
  Client& client = *server.client;
  server.make("a");
  const json::Shape keep{
      .others = false,
      .members = {{.name = "metadata", .shape = {.others = false, .members = {{"name"}}}}}};
  const Json only{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}};
  const auto list =
      client.list(kConfigMaps, {.ns = kNs, .label_selector = "test=a", .keep = &keep});
  REQUIRE(list);
  REQUIRE(list->items.size() == 1);
  CHECK(list->items[0].json() == only);
  CHECK_FALSE(list->resource_version.empty());
  const Object whole = client.list(kConfigMaps, {.ns = kNs, .label_selector = "test=a"})->items[0];
  CHECK(find_at(whole.json(), {"metadata", "managedFields"}) == nullptr);
  CHECK(string_at(whole.json(), {"data", "key"}) == "value");
}

TEST_CASE("a watch without a place tells first what is there, and that this was all", "[kube]") {
  Server server;
  server.make("a");
  server.make("b");
  std::vector<std::string> heard;
  std::stop_source stop;
  const auto result = server.client->watch(
      kConfigMaps, {.ns = kNs, .label_selector = "test in (a,b)", .initial_events = true}, "",
      [&](const WatchEvent& event) {
        heard.emplace_back(event.object.name());
        if (event.type != WatchEventType::kBookmark) return;
        CHECK(event.object.annotation("k8s.io/initial-events-end") == "true");
        CHECK_FALSE(event.object.resource_version().empty());
        stop.request_stop();
      },
      stop.get_token());
  CHECK(result);
  std::sort(heard.begin(), heard.end());
  CHECK(heard == std::vector<std::string>{"", "a", "b"});
}

TEST_CASE("a watch with a selector tells of nothing else", "[kube]") {
  Server server;
  Client& client = *server.client;
  Watch watch(client, here(client), "test=b");
  server.make("a");
  server.make("b");
  CHECK(watch.heard(1) == Texts{"added b"});
  CHECK(watch.stop());
}

TEST_CASE("a watch ends at once when it is asked to, at whatever moment", "[kube]") {
  Server server;
  const std::string from = here(*server.client);
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    Watch watch(*server.client, from);
    std::this_thread::sleep_for(std::chrono::microseconds(200 * i));
    const auto asked = std::chrono::steady_clock::now();
    CHECK(watch.stop());
    REQUIRE(std::chrono::steady_clock::now() - asked < 5s);
  }
}

TEST_CASE("a place that the server has forgotten is Gone", "[kube]") {
  Server server;
  // The server remembers a type from its definition on, so the first of all places is before that.
  webhook::testing::install_crd(*server.client);
  std::stop_source stop;
  const std::jthread patience([&stop](std::stop_token ended) {
    for (int i = 0; i < 300 && !ended.stop_requested(); ++i) std::this_thread::sleep_for(100ms);
    stop.request_stop();
  });
  const auto result = server.client->watch(
      kPostgresClusters, {.ns = kNs}, "1", [](const WatchEvent&) {}, stop.get_token());
  CHECK(kind_of(result) == ErrorKind::kGone);
}

}  // namespace
}  // namespace pgc::kube
