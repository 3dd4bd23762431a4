#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;
using test::applied;
using test::bare;
using test::drawn;
using test::lines;
using test::plan_of;

// Patroni's file as the members read it.
Json file_of(const Plan& plan) {
  const kube::Object* map = applied(plan, kube::kConfigMaps, "my-db-patroni");
  REQUIRE(map != nullptr);
  return Json::parse(map->json()["data"]["patroni.yaml"].get<std::string>());
}

Json file_of(const char* spec) {
  return file_of(plan_of(bare(spec)));
}

Json access_rules(const char* spec) {
  return file_of(spec)["bootstrap"]["dcs"]["postgresql"]["pg_hba"];
}

TEST_CASE("Require lets nobody in from the network without TLS") {
  for (const Json& line : access_rules("{version: '16', tls: {mode: Require}}")) {
    const std::string text = line;
    CAPTURE(text);
    CHECK((text.starts_with("local ") || text.starts_with("hostssl ")));
  }
}

TEST_CASE("Prefer takes connections with and without TLS, always by password") {
  CHECK(access_rules("{version: '16', tls: {mode: Prefer}}") ==
        Json::parse(R"(["local all postgres peer", "local all all scram-sha-256",
                        "host replication replicator all scram-sha-256",
                        "host all all all scram-sha-256"])"));
}

TEST_CASE("the server offers TLS where its image can") {
  const auto parameters = [](const char* spec) {
    return file_of(spec)["bootstrap"]["dcs"]["postgresql"]["parameters"];
  };
  CHECK(parameters("{version: '16', tls: {mode: Prefer}}")["ssl"] == "on");
  CHECK_FALSE(parameters("{version: '17', tls: {mode: Prefer}}").contains("ssl"));
}

TEST_CASE("timing keeps Patroni's inequality, so that Patroni keeps our timing") {
  const Json dcs = file_of("version: '16'")["bootstrap"]["dcs"];
  CHECK(dcs["ttl"] == 20);
  CHECK(dcs["loop_wait"].get<int>() + 2 * dcs["retry_timeout"].get<int>() <= dcs["ttl"].get<int>());
  CHECK(dcs["failsafe_mode"] == true);
}

TEST_CASE("Patroni labels its objects so that they are found as ours") {
  const Json section = file_of("version: '16'")["kubernetes"];
  CHECK(section["scope_label"] == "db.example.com/patroni");
  CHECK(section["role_label"] == "db.example.com/role");
  CHECK(section["labels"] == Json::parse(R"({"app.kubernetes.io/managed-by": "pgc",
                                             "db.example.com/cluster": "my-db"})"));
  CHECK(section["leader_label_value"] == "primary");
  CHECK(section["follower_label_value"] == "replica");
}

// An initialized cluster with this dynamic configuration.
Observed configured(const char* spec, const Json& configuration) {
  Observed observed = drawn(spec, "my-db-1 primary running leader");
  const kube::ObjectRef config{kube::kConfigMaps, "shop", "my-db-ha-config"};
  Json document = observed.objects.at(config).json();
  document["metadata"]["annotations"]["config"] = configuration.dump();
  observed.objects.insert_or_assign(config, kube::Object(document));
  return observed;
}

// The same, with the one that a plan made of `stored`.
Observed initialized(const char* spec, const char* stored) {
  return configured(spec, file_of(stored)["bootstrap"]["dcs"]);
}

std::vector<const Patch*> patches(const Plan& plan) {
  std::vector<const Patch*> result;
  for (const Action& action : plan.actions) {
    if (const auto* patch = std::get_if<Patch>(&action)) result.push_back(patch);
  }
  return result;
}

const char* const kPlain = "version: '16'";
const char* const kMoreConnections =
    "{version: '16', postgresql: {parameters: {max_connections: 200}}}";

TEST_CASE("a changed parameter is one patch of Patroni's configuration as it was read") {
  const Plan plan = plan_of(initialized(kMoreConnections, kPlain));
  const auto found = patches(plan);
  REQUIRE(found.size() == 1);
  CHECK(describe(*found[0]) ==
        "patch configmaps shop/my-db-ha-config: the PostgreSQL configuration has changed");
  const Json& operations = found[0]->operations.json()["patch"];
  REQUIRE(operations.size() == 2);
  // Stated, and not tested: the API server calls a failed test Invalid, a lost race Conflict.
  CHECK(operations[0] == Json::parse(R"({"op": "replace", "path": "/metadata/resourceVersion",
                                         "value": "1"})"));
  CHECK(operations[1]["path"] == "/metadata/annotations/config");
  const Json wanted = Json::parse(operations[1]["value"].get<std::string>());
  CHECK(wanted["postgresql"]["parameters"]["max_connections"] == "200");
  CHECK(wanted["ttl"] == 20);
}

TEST_CASE("what others set in the configuration stays, such as the pause of patronictl") {
  Json theirs = file_of(kPlain)["bootstrap"]["dcs"];
  theirs["pause"] = true;
  CHECK(patches(plan_of(configured(kPlain, theirs))).empty());
  theirs["ttl"] = 30;
  const Plan second = plan_of(configured(kPlain, theirs));
  const auto found = patches(second);
  REQUIRE(found.size() == 1);
  const Json wanted =
      Json::parse(found[0]->operations.json()["patch"][1]["value"].get<std::string>());
  CHECK(wanted["pause"] == true);
  CHECK(wanted["ttl"] == 20);
}

TEST_CASE("a configuration that stands as wanted is not patched, however it is written") {
  CHECK(patches(plan_of(initialized(kMoreConnections, kMoreConnections))).empty());
}

TEST_CASE("a configuration that Patroni has not written yet is left to it") {
  CHECK(patches(plan_of(drawn(kMoreConnections, "my-db-1 - starting"))).empty());
}

TEST_CASE("a configuration that somebody broke is put right") {
  Observed observed = initialized(kPlain, kPlain);
  const kube::ObjectRef config{kube::kConfigMaps, "shop", "my-db-ha-config"};
  Json document = observed.objects.at(config).json();
  document["metadata"]["annotations"]["config"] = "{broken";
  observed.objects.insert_or_assign(config, kube::Object(document));
  CHECK(patches(plan_of(observed)).size() == 1);
}

}  // namespace
}  // namespace pgc::reconcile
