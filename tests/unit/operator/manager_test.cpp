// The whole loop with its threads on an API server in memory, beside a world that moves.
#include "operator/manager.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/slowness.h"
#include "tests/support/world.h"

namespace pgc {
namespace {

using namespace std::chrono_literals;
using kube::Json;
using kube::ObjectRef;
using Texts = std::vector<std::string>;

const ClusterKey kMyDb{"shop", "my-db"};

ObjectRef ref(const kube::ResourceType& type, const std::string& name) {
  return {type, "shop", name};
}

constexpr int kWatches = 10;  // of one namespace, or of all

bool eventually(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + 30s;
  while (std::chrono::steady_clock::now() < until) {
    if (holds()) return true;
    std::this_thread::sleep_for(2ms);
  }
  return false;
}

// A world and a manager that runs in it. The world's own operator is not used.
class Running {
 public:
  explicit Running(const std::string& spec, ManagerOptions options = {}) : world(spec) {
    world.server.fault = [this](const std::string& write) { return asked(write); };
    options.settings = test::settings();
    manager = std::make_unique<Manager>(world.server, std::move(options), log_, registry);
    thread_ = std::jthread([this](std::stop_token stop) { manager->run(stop); });
  }
  ~Running() { stop(); }

  void stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  // The others move until nothing happens any more, the operator has been told of all of it, and
  // has nothing to do. Between the first look and the last one nothing has happened, so that it
  // stays so.
  void settle() {
    REQUIRE(eventually([&] { return manager->synced(); }));
    REQUIRE(eventually([&] {
      const auto version = world.server.version();
      return !world.move() && world.server.idle_watches() == kWatches && has_nothing_to_do() &&
             world.server.version() == version;
    }));
  }

  Texts writes() {
    const std::lock_guard lock(mutex_);
    return writes_;
  }
  void fail(std::function<std::optional<kube::Error>(const std::string&)> fault) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
  }
  std::size_t count(const std::string& write) {
    const Texts all = writes();
    return static_cast<std::size_t>(std::ranges::count(all, write));
  }
  Json explained() {
    const auto text = manager->explain(kMyDb);
    return text ? Json::parse(*text) : Json();
  }
  // A series of the metrics, 0 where it is not there.
  double metric(const std::string& series) {
    const std::string text = "\n" + registry.text();
    const auto at = text.find("\n" + series + " ");
    return at == std::string::npos ? 0 : std::stod(text.substr(at + series.size() + 2));
  }
  double turns() {
    double sum = 0;
    for (const char* result : {"success", "requeue_after", "error"}) {
      sum += metric("controller_runtime_reconcile_total{controller=\"postgrescluster\",result=\"" +
                    std::string(result) + "\"}");
    }
    return sum;
  }
  std::string condition(const std::string& type) {
    const auto cluster = world.server.get(ref(kube::kPostgresClusters, "my-db"));
    const Json* list = kube::find_at(cluster->json(), {"status", "conditions"});
    for (const Json& one : list == nullptr ? Json::array() : *list) {
      if (one["type"] == type)
        return one["status"].get<std::string>() + " " + one.value("message", "");
    }
    return "";
  }
  Texts log_lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

  test::World world;
  metrics::Registry registry;
  std::unique_ptr<Manager> manager;

 private:
  bool has_nothing_to_do() {
    const Json told = explained();
    if (told.is_null()) return false;
    const Json& queue = told["queue"];
    return queue["waiting"] == false && queue["working"] == false && queue["failures"] == 0 &&
           queue["repeats"] == 0;
  }

  std::optional<kube::Error> asked(const std::string& write) {
    const std::lock_guard lock(mutex_);
    writes_.push_back(write);
    return fault_ ? fault_(write) : std::nullopt;
  }

  std::mutex mutex_;
  // Guarded by mutex_.
  Texts writes_;
  Texts lines_;
  std::function<std::optional<kube::Error>(const std::string&)> fault_;

  Log log_{[this](const std::string& line) {
             const std::lock_guard lock(mutex_);
             lines_.push_back(line);
           },
           LogLevel::kDebug};
  std::jthread thread_;
};

TEST_CASE("a cluster is made by the loop, each object with one write, and then it rests") {
  Running run("{replicas: 3, version: '16'}", {.workers = 4});
  run.settle();
  CHECK(run.world.phase() == "Ready");
  CHECK(run.world.drawing() == "1 primary, 2 replica, 3 replica");
  for (const char* once :
       {"patch statefulsets.apps shop/my-db-1", "patch services shop/my-db-rw",
        "patch poddisruptionbudgets.policy shop/my-db", "create secrets shop/my-db-app"}) {
    CAPTURE(once, run.writes());
    CHECK(run.count(once) == 1);
  }
  // Once to make it, once to note on it who leads.
  CHECK(run.count("patch persistentvolumeclaims shop/my-db-2-pgdata") == 2);
}

TEST_CASE("a converged cluster gets no write in a hundred looks") {
  Running run("{replicas: 2, version: '16'}", {.workers = 4});
  run.settle();
  const auto writes = run.writes().size();
  for (int i = 0; i < 100; ++i) {
    const double turns = run.turns();
    run.manager->use(test::settings());
    REQUIRE(eventually([&] { return run.turns() > turns; }));
  }
  CHECK(run.writes().size() == writes);
}

TEST_CASE("Patroni's heartbeats wake nobody, and are seen all the same") {
  Running run("{replicas: 2, version: '16'}");
  run.settle();
  const double turns = run.turns();
  for (int i = 0; i < 50; ++i) {
    const auto pod = run.world.server.get(ref(kube::kPods, "my-db-1-0"));
    Json status = Json::parse(pod->annotation("status"));
    status["xlog_location"] = 20'000'000 + i;
    run.world.server.change(ref(kube::kPods, "my-db-1-0"),
                            {{"metadata", {{"annotations", {{"status", status.dump()}}}}}});
    run.world.server.change(
        ref(kube::kConfigMaps, "my-db-ha-leader"),
        {{"metadata", {{"annotations", {{"renewTime", std::to_string(i)}, {"optime", "9"}}}}}});
  }
  const auto version =
      run.world.server.get(ref(kube::kConfigMaps, "my-db-ha-leader"))->resource_version();
  const std::string last(version);
  CHECK(eventually(
      [&] { return run.explained().dump().find("\"" + last + "\"") != std::string::npos; }));
  CHECK(run.turns() == turns);
}

TEST_CASE("what somebody breaks is mended") {
  Running run("{replicas: 2, version: '16'}");
  run.settle();
  run.world.server.erase(ref(kube::kServices, "my-db-rw"));
  CHECK(eventually([&] { return run.world.server.has(ref(kube::kServices, "my-db-rw")); }));
  run.world.server.change(ref(kube::kServices, "my-db-ro"), {{"spec", {{"type", "NodePort"}}}});
  CHECK(eventually([&] {
    const auto service = run.world.server.get(ref(kube::kServices, "my-db-ro"));
    return kube::string_at(service->json(), {"spec", "type"}) == "ClusterIP";
  }));
}

TEST_CASE("an error that time cures comes again until it is cured") {
  Running run("{replicas: 1, version: '16'}");
  run.fail([left = 5](const std::string& asked) mutable -> std::optional<kube::Error> {
    if (asked != "patch services shop/my-db-rw" || left-- <= 0) return std::nullopt;
    return kube::Error{.kind = kube::ErrorKind::kServerError, .message = "busy"};
  });
  run.settle();
  CHECK(run.world.phase() == "Ready");
  CHECK(run.metric("workqueue_retries_total{name=\"postgrescluster\"}") == 5);
}

TEST_CASE(
    "an error that no retry cures stands in the status, and is tried again only at a change") {
  Running run("{replicas: 1, version: '16'}");
  const std::string write = "patch services shop/my-db-rw";
  run.fail([write](const std::string& asked) -> std::optional<kube::Error> {
    if (asked != write) return std::nullopt;
    return kube::Error{.kind = kube::ErrorKind::kInvalid, .message = "a bad port"};
  });
  REQUIRE(eventually([&] { return run.condition("Degraded") == "True a bad port"; }));
  run.settle();
  const auto tries = run.count(write);
  // The turn that fails, the one that tells it, and the one that sees it told; and a watch may be
  // slower than a turn.
  CHECK(tries >= 3);
  std::this_thread::sleep_for(300ms);  // for a retry that must not come
  CHECK(run.count(write) == tries);
  CHECK(run.metric("controller_runtime_terminal_reconcile_errors_total{controller="
                   "\"postgrescluster\"}") == static_cast<double>(tries));
  run.fail({});
  run.world.server.change(ref(kube::kPostgresClusters, "my-db"),
                          {{"metadata", {{"labels", {{"touched", "yes"}}}}}});
  run.settle();
  CHECK(run.world.phase() == "Ready");
  CHECK(run.condition("Degraded") == "False ");
}

// Nothing of ours changes when a quota is lifted, a right granted, or a stranger's object removed.
TEST_CASE("what stands in the way is told, and tried again later each time until it is gone") {
  const auto kind = GENERATE(kube::ErrorKind::kForbidden, kube::ErrorKind::kAlreadyExists);
  Running run("{replicas: 1, version: '16'}");
  const std::string write = "patch services shop/my-db-rw";
  run.fail([&](const std::string& asked) -> std::optional<kube::Error> {
    if (asked != write) return std::nullopt;
    return kube::Error{.kind = kind, .message = "exceeded quota"};
  });
  REQUIRE(eventually([&] { return run.condition("Degraded") == "True exceeded quota"; }));
  const auto before = run.count(write);
  std::this_thread::sleep_for(2s);
  const auto tries = run.count(write) - before;
  CHECK(tries >= 1);
  CHECK(tries <= 5);  // after 0.2 s at least, and twice as long each time, less a half
  CHECK(run.metric("controller_runtime_terminal_reconcile_errors_total{controller="
                   "\"postgrescluster\"}") == 0);
  run.fail({});
  REQUIRE(eventually([&] { return run.condition("Degraded") == "False "; }));
  run.settle();
  CHECK(run.world.phase() == "Ready");
}

TEST_CASE("a cluster that is deleted is taken down and forgotten") {
  Running run(
      "{replicas: 2, version: '16', storage: {persistentVolumeClaimRetentionPolicy: "
      "{whenDeleted: Delete}}}");
  run.settle();
  run.world.remove_cluster();
  REQUIRE(eventually([&] {
    while (run.world.move()) {
    }
    return !run.world.exists();
  }));
  CHECK(eventually([&] { return !run.manager->explain(kMyDb); }));
  while (run.world.move()) {
  }
  Texts left = run.world.left_over();
  std::erase_if(left, [](const std::string& name) { return name.starts_with("events "); });
  CHECK(left == Texts{});
}

TEST_CASE("no member is taken twice, whatever the watch has told of the first one") {
  Running run("{replicas: 4, version: '16'}", {.workers = 4});
  run.settle();
  run.world.scale(2);
  run.settle();
  CHECK(run.world.drawing() == "1 primary, 2 replica");
  CHECK(run.count("delete statefulsets.apps shop/my-db-4") == 1);
  CHECK(run.count("delete statefulsets.apps shop/my-db-3") == 1);
}

TEST_CASE("watches that end and histories that are forgotten lose nothing") {
  Running run("{replicas: 1, version: '16'}");
  run.settle();
  for (int replicas = 2; replicas <= 4; ++replicas) {
    run.world.server.compact();
    run.world.server.end_watches();
    run.world.scale(replicas);
    REQUIRE(eventually([&] {
      run.world.move();
      return run.world.members() == static_cast<std::size_t>(replicas);
    }));
  }
  run.settle();
  CHECK(run.world.phase() == "Ready");
  CHECK(run.metric("pgc_watch_lists_total{resource=\"pods\"}") > 0);
}

TEST_CASE("what is believed and what was done can be asked for, and tells no secret") {
  Running run("{replicas: 1, version: '16'}");
  CHECK_FALSE(run.manager->explain({"shop", "nobody"}));
  run.settle();
  const Json told = run.explained();
  CHECK(told["cluster"] == "shop/my-db");
  CHECK(told["phase"] == "Ready");
  CHECK(told["topology"]["leader"] == "my-db-1-0");
  CHECK(told["topology"]["members"][0]["healthy"] == true);
  CHECK(told["next"] == Json{{"actions", Json::array()}, {"status", false}});
  CHECK(told["secrets"].size() == 6);
  CHECK(told["lastTurn"]["result"] == "success");
  CHECK(told["lastDeed"]["did"].dump().find("\"status\"") != std::string::npos);
  CHECK_FALSE(told["lastDeed"]["wokenBy"].get<std::string>().empty());
  const auto secret = run.world.secret("my-db-app");
  for (const auto& [key, value] : secret.items()) {
    if (key == "password") CHECK(told.dump().find(value.get<std::string>()) == std::string::npos);
  }
}

TEST_CASE("every line of a turn carries its cluster and its number") {
  Running run("{replicas: 1, version: '16'}");
  run.settle();
  run.stop();
  int wrote = 0;
  for (const std::string& text : run.log_lines()) {
    const Json line = Json::parse(text);
    if (line["msg"] != "wrote") continue;
    ++wrote;
    CHECK(line["cluster"] == "shop/my-db");
    CHECK(line["reconcile"].get<std::string>().size() > 4);
  }
  CHECK(wrote > 10);
}

TEST_CASE("a stop ends the turn in hand and all threads, whatever they wait for") {
  Running run("{replicas: 3, version: '16'}");
  REQUIRE(eventually([&] { return run.writes().size() > 3; }));
  const auto begun = std::chrono::steady_clock::now();
  run.stop();
  CHECK(std::chrono::steady_clock::now() - begun < 5s * test::kSlowness);
  CHECK(run.world.server.open_watches() == 0);
}

TEST_CASE("with namespaces named, the others are nobody's business") {
  Running run("{replicas: 1, version: '16'}", {.namespaces = {"bank", "market"}});
  REQUIRE(eventually([&] { return run.manager->synced(); }));
  std::this_thread::sleep_for(50ms);
  CHECK(run.writes().empty());
  CHECK(run.world.server.open_watches() == 2 * kWatches);
}

}  // namespace
}  // namespace pgc
