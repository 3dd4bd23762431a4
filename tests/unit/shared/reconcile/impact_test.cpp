#include "shared/reconcile/impact.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "shared/reconcile/names.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;

Impact between(const std::string& from, const std::string& to) {
  return impact(test::bare(from).cluster, test::bare(to).cluster);
}

std::vector<std::string> warnings(const std::string& from, const std::string& to) {
  return warnings_of(between(from, to));
}

std::string parameters(const std::string& list) {
  return "{version: '16', postgresql: {parameters: {" + list + "}}}";
}

// What a restart or a reload would be for, in the words of the plan.
struct Rendered {
  Json pod;
  std::string patroni;
};

Rendered rendered(const std::string& spec) {
  const Plan plan = test::plan_of(test::bare(spec));
  const kube::Object* set = test::applied(plan, kube::kStatefulSets, "my-db-1");
  const kube::Object* files = test::applied(plan, kube::kConfigMaps, "my-db-patroni");
  REQUIRE((set != nullptr && files != nullptr));
  return {set->json()["spec"]["template"], files->json()["data"]["patroni.yaml"]};
}

class Specs {
 public:
  explicit Specs(std::uint32_t seed) : random_(seed) {}

  std::string next() {
    return "{version: '16', " + one({"replicas: 1", "replicas: 3", "replicas: 2"}) + ", " +
           one({"deletionProtection: true", "deletionProtection: false"}) +
           ", storage: {size: " + one({"10Gi", "20Gi", "10240Mi"}) +
           ", persistentVolumeClaimRetentionPolicy: {whenScaled: " + one({"Retain", "Delete"}) +
           "}}, resources: {" +
           one({"", "requests: {memory: 1Gi}", "requests: {memory: 1024Mi}",
                "limits: {cpu: 1, memory: 2Gi}", "limits: {cpu: 1000m, memory: 2Gi}"}) +
           "}, tls: {mode: " + one({"Require", "Prefer"}) + "}, postgresql: {parameters: {" +
           some({"work_mem: 8MB", "work_mem: 8192kB", "max_connections: 200",
                 "max_connections: 100", "shared_buffers: 256MB", "jit: 'off'",
                 "wal_log_hints: 'on'", "auto_explain.log_analyze: 'on'", "search_path: it''s",
                 "log_connections: 'on'"}) +
           "}}}";
  }

 private:
  std::string one(const std::vector<std::string>& choices) {
    return choices[std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(random_)];
  }

  // None or one of each name.
  std::string some(const std::vector<std::string>& choices) {
    std::string list;
    std::set<std::string> names;
    for (const std::string& choice : choices) {
      if (random_() % 3 != 0 || !names.insert(choice.substr(0, choice.find(':'))).second) continue;
      list += (list.empty() ? "" : ", ") + choice;
    }
    return list;
  }

  std::mt19937 random_;
};

bool any(const Impact& impact, const std::function<bool(const Effect&)>& holds) {
  return std::ranges::any_of(impact.effects, holds);
}

}  // namespace

TEST_CASE("what takes effect by itself and costs no connection is not warned of") {
  CHECK(warnings(parameters(""), parameters("work_mem: 8MB, log_connections: 'on'")).empty());
  CHECK(between(parameters(""), parameters("work_mem: 8MB")).cost() == Cost::kReload);
  CHECK(between("version: '16'", "{version: '16', replicas: 3}").effects.empty());
  CHECK(between("version: '16'", "{version: '16', deletionProtection: true}").effects.empty());
  CHECK(between("version: '16'", "{version: '16', storage: {size: 20Gi}}").effects.empty());
  CHECK(between("{version: '16', tls: {mode: Require}}", "{version: '16', tls: {mode: Prefer}}")
            .cost() == Cost::kReload);
}

TEST_CASE("what waits for a restart says so") {
  CHECK(warnings(parameters(""), parameters("shared_buffers: 256MB")) ==
        std::vector<std::string>{
            "spec.postgresql.parameters.shared_buffers: takes effect at the next "
            "restart of PostgreSQL"});
  CHECK(between(parameters(""), parameters("shared_buffers: 256MB")).cost() ==
        Cost::kRollingRestart);
  CHECK(warnings("version: '16'", "{version: '16', resources: {requests: {memory: 1Gi}}}") ==
        std::vector<std::string>{
            "spec.resources: takes effect when a pod is replaced; pgc replaces none by itself"});
}

TEST_CASE("less of what a replica needs falls on the primary first, more does not") {
  const Impact less = between(parameters("max_connections: 200"), parameters(""));
  REQUIRE(less.effects.size() == 1);
  CHECK(less.effects[0].primary_first);
  CHECK(warnings_of(less) ==
        std::vector<std::string>{"spec.postgresql.parameters.max_connections: "
                                 "takes effect at the next restart, of the primary first"});
  CHECK_FALSE(between(parameters(""), parameters("max_connections: 200")).effects[0].primary_first);
}

TEST_CASE("another text for the same value restarts nothing") {
  CHECK(
      between(parameters("shared_buffers: 256MB"), parameters("shared_buffers: 262144kB")).cost() ==
      Cost::kReload);
  CHECK(between(parameters(""), parameters("max_connections: 100")).cost() == Cost::kReload);
  CHECK(between(parameters(""), parameters("wal_log_hints: 'on'")).cost() == Cost::kReload);
  CHECK(between("{version: '16', resources: {limits: {memory: 1Gi}}}",
                "{version: '16', resources: {limits: {memory: 1024Mi}}}")
            .effects.empty());
}

TEST_CASE("an upgrade is held back, and all else with it") {
  const Impact change = between(
      "version: '16'",
      "{version: '17', tls: {mode: Prefer}, postgresql: {parameters: {max_connections: 200}}}");
  REQUIRE(change.effects.size() == 1);
  CHECK(change.effects[0].when == When::kNever);
  CHECK(warnings_of(change) ==
        std::vector<std::string>{
            "spec.version: pgc does not upgrade existing data: this and every other "
            "change waits until it is set back"});
  Observed observed =
      test::drawn("{version: '17', tls: {mode: Prefer}}", "my-db-1 primary running leader");
  Json resource = observed.resource.json();
  resource["status"]["version"] = "16";
  observed.resource = kube::Object(resource);
  CHECK(test::lines(test::plan_of(observed), "apply statefulsets").empty());
  CHECK(warnings("{version: '17', tls: {mode: Prefer}}", "version: '16'").empty());  // taken back
}

TEST_CASE("volumes that go with a scale-in are told of") {
  const std::string policy =
      "storage: {persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}}";
  CHECK(warnings("{version: '16', replicas: 3}", "{version: '16', replicas: 1}").empty());
  CHECK(warnings("{version: '16', replicas: 3, " + policy + "}",
                 "{version: '16', replicas: 1, " + policy + "}") ==
        std::vector<std::string>{
            "spec.replicas: removes 2 instances and their volumes (whenScaled is Delete)"});
}

TEST_CASE("the impact agrees with the plan") {
  Specs specs(20260131);
  int changes = 0;
  for (int i = 0; i < 500; ++i) {
    const std::string from = specs.next();
    const std::string to = specs.next();
    CAPTURE(from, to);
    const Impact change = between(from, to);
    const Rendered before = rendered(from);
    const Rendered after = rendered(to);
    const bool pods =
        any(change, [](const Effect& effect) { return effect.when == When::kNextPod; });
    const bool configuration = any(change, [](const Effect& effect) {
      return effect.cost != Cost::kNothing && effect.when != When::kNextPod;
    });
    REQUIRE(pods == (before.pod != after.pod));
    REQUIRE(configuration == (before.patroni != after.patroni));
    changes += change.effects.empty() ? 0 : 1;
    for (const std::string& warning : warnings_of(change)) CHECK(warning.size() <= 120);
  }
  CHECK(changes > 400);
}

}  // namespace pgc::reconcile
