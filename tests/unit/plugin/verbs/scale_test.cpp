#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pgc_version.h"
#include "tests/support/plugin_run.h"

namespace pgc::plugin {
namespace {

using kube::Json;
using kube::Object;

const std::vector<std::string> kServer{"--server", "https://api:6443"};

std::vector<std::string> scale_arguments(std::vector<std::string> more) {
  more.insert(more.begin(), "scale");
  more.insert(more.end(), kServer.begin(), kServer.end());
  return more;
}

// A cluster as the server would show it: wanted, existing and ready instances.
Object cluster(int wanted, int replicas, int ready, int observed_generation = 2) {
  Json instances = Json::array();
  for (int i = 1; i <= replicas; ++i) {
    instances.push_back({{"name", "my-db-" + std::to_string(i)}, {"ready", i <= ready}});
    if (i > ready) instances.back()["state"] = "starting";
  }
  return Object(Json{{"metadata", {{"name", "my-db"}, {"generation", 2}}},
                     {"spec", {{"replicas", wanted}}},
                     {"status",
                      {{"observedGeneration", observed_generation},
                       {"replicas", replicas},
                       {"readyReplicas", ready},
                       {"instances", instances}}}});
}

TEST_CASE("scale patches spec.replicas of the main resource as kubectl-pgc") {
  test::PluginRun run;
  run.server.gets = {cluster(3, 3, 3)};
  const auto screen = run(scale_arguments({"my-db", "5", "-n", "shop"}));
  CHECK(screen.exit_code == 0);
  CHECK(screen.out == "postgrescluster.db.example.com/my-db scaled from 3 to 5\n");
  CHECK(screen.err.empty());
  REQUIRE(run.server.patches.size() == 1);
  const auto& patch = run.server.patches[0];
  CHECK(patch.ref == kube::ObjectRef{kube::kPostgresClusters, "shop", "my-db"});
  CHECK(patch.type == kube::PatchType::kMerge);
  CHECK(patch.body == Json::parse(R"({"spec":{"replicas":5}})"));
  CHECK(patch.options.field_manager == "kubectl-pgc");
  CHECK(patch.options.subresource.empty());
  CHECK(run.options.user_agent.starts_with("kubectl-pgc/" + std::string(kVersion) + " ("));
}

TEST_CASE("scale to what is there says so, and still asks the server") {
  test::PluginRun run;
  run.server.gets = {cluster(3, 3, 3)};
  CHECK(run(scale_arguments({"my-db", "3"})).out ==
        "postgrescluster.db.example.com/my-db scaled (no change)\n");
  CHECK(run.server.patches.size() == 1);
}

TEST_CASE("whether a number is allowed only the server says") {
  test::PluginRun run;
  run.server.gets = {cluster(3, 3, 3)};
  run.server.patch_answer = std::unexpected(kube::error_from_answer(
      422, R"({"kind":"Status","reason":"Invalid","message":"m","details":{"causes":[)"
           R"({"field":"spec.replicas","message":"Invalid value: -1: must be at least 1"}]}})"));
  const auto screen = run(scale_arguments({"my-db", "-1"}));
  CHECK(screen.exit_code == 1);
  CHECK(screen.out.empty());
  CHECK(screen.err ==
        "The PostgresCluster \"my-db\" is invalid: spec.replicas: Invalid value: -1: must be at "
        "least 1\n");
  CHECK(run.server.patches.at(0).body["spec"]["replicas"] == -1);
}

TEST_CASE("a cluster that is not there is not patched") {
  test::PluginRun run;
  run.server.gets = {std::unexpected(kube::error_from_answer(
      404,
      R"({"kind":"Status","reason":"NotFound","message":"postgresclusters.db.example.com \"x\" not found"})"))};
  const auto screen = run(scale_arguments({"x", "3"}));
  CHECK(screen.exit_code == 1);
  CHECK(screen.err ==
        "Error from server (NotFound): postgresclusters.db.example.com \"x\" not found\n");
  CHECK(run.server.patches.empty());
}

TEST_CASE("scale --wait tells what changes, a line each") {
  test::PluginRun run;
  run.server.gets = {cluster(3, 3, 3), cluster(5, 3, 3, 1), cluster(5, 3, 3), cluster(5, 5, 3),
                     cluster(5, 5, 4), cluster(5, 5, 4),    cluster(5, 5, 5)};
  const auto screen = run(scale_arguments({"my-db", "5", "--wait"}));
  CHECK(screen.exit_code == 0);
  CHECK(screen.out ==
        "postgrescluster.db.example.com/my-db scaled from 3 to 5\n"
        "postgrescluster.db.example.com/my-db has 5 of 5 replicas ready after 2s\n");
  CHECK(screen.err ==
        "my-db: waiting for the operator to see the change\n"
        "my-db: 3 of 5 replicas ready, 2 still to create\n"
        "my-db: 3 of 5 replicas ready\n"
        "my-db: 4 of 5 replicas ready\n");
}

TEST_CASE("scale --wait does not take an old status for the answer") {
  test::PluginRun run;
  run.server.gets = {cluster(3, 5, 5, 1), cluster(5, 5, 5, 1), cluster(5, 5, 5)};
  const auto screen = run(scale_arguments({"my-db", "5", "--wait"}));
  CHECK(screen.exit_code == 0);
  CHECK(screen.err == "my-db: waiting for the operator to see the change\n");
}

TEST_CASE("scale --wait rewrites one line on a terminal and leaves none behind") {
  test::PluginRun run;
  run.terminal = true;
  run.server.gets = {cluster(5, 5, 5), cluster(3, 5, 5), cluster(3, 3, 3)};
  CHECK(run(scale_arguments({"my-db", "3", "--wait"})).err ==
        "\r\x1b[Kmy-db: 5 of 3 replicas ready, 2 still to remove (0s)\r\x1b[K");
}

TEST_CASE("scale --wait gives up in time and says what is missing") {
  test::PluginRun run;
  run.server.gets = {cluster(3, 3, 3), cluster(5, 4, 3)};
  const auto screen = run(scale_arguments({"my-db", "5", "--wait", "--timeout", "90s"}));
  CHECK(screen.exit_code == 1);
  CHECK(screen.err ==
        "my-db: 3 of 5 replicas ready, 1 still to create\n"
        "error: timed out waiting for the condition on postgresclusters/my-db after 90s: 3 of 5 "
        "replicas ready, 1 still to create; not ready: my-db-4 (starting)\n");
}

TEST_CASE("scale --wait does not wait for what somebody else has changed") {
  test::PluginRun run;
  run.server.gets = {cluster(3, 3, 3), cluster(4, 3, 3)};
  const auto screen = run(scale_arguments({"my-db", "5", "--wait"}));
  CHECK(screen.exit_code == 1);
  CHECK(screen.err ==
        "error: stopped waiting for 5 replicas of my-db: somebody asked for 4 meanwhile\n");
}

TEST_CASE("scale --wait lives through a server that is away for a moment") {
  kube::Error away;
  away.kind = kube::ErrorKind::kUnreachable;
  away.message = "connection lost";
  test::PluginRun run;
  run.server.gets = {cluster(5, 5, 5), std::unexpected(away), cluster(5, 5, 5)};
  const auto screen = run(scale_arguments({"my-db", "5", "--wait"}));
  CHECK(screen.exit_code == 0);
  CHECK(screen.err == "my-db: the server does not answer: connection lost\n");
}

}  // namespace
}  // namespace pgc::plugin
