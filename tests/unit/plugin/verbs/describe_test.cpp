#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/support/plugin_run.h"

namespace pgc::plugin {
namespace {

using kube::Json;
using kube::Object;

const std::vector<std::string> kArguments{"describe", "my-db", "--server", "https://api:6443"};

Json fresh() {
  return Json::parse(R"({
    "metadata": {"name": "my-db", "namespace": "shop", "uid": "u-1", "generation": 2,
                 "creationTimestamp": "2026-08-21T09:00:00Z"},
    "spec": {"replicas": 3, "version": "16", "storage": {"size": "10Gi"}}})");
}

Json running() {
  Json cluster = fresh();
  cluster["status"] = Json::parse(R"({
    "observedGeneration": 2, "phase": "Recovering", "replicas": 3, "readyReplicas": 2,
    "currentPrimary": "my-db-1-0", "timeline": 4, "systemIdentifier": "7512345678901234567",
    "image": "localhost/pgc-postgres:dev", "tlsMode": "Prefer",
    "instances": [
      {"name": "my-db-1", "role": "primary", "state": "running", "timeline": 4, "ready": true, "node": "node-a",
       "dataVolume": {"freeBytes": 12884901888, "totalBytes": 21474836480}},
      {"name": "my-db-2", "role": "replica", "state": "streaming", "timeline": 4, "lagBytes": 1048576,
       "ready": true, "node": "node-b", "pendingRestart": true},
      {"name": "my-db-3", "ready": false}],
    "conditions": [
      {"type": "Ready", "status": "False", "reason": "Recovering", "lastTransitionTime": "2026-08-21T09:56:40Z",
       "message": "2 of 3 instances are ready; my-db-3 is not started yet"},
      {"type": "PrimaryAvailable", "status": "True", "reason": "PrimaryRuns",
       "lastTransitionTime": "2026-08-21T09:01:00Z", "message": "my-db-1-0 takes writes"}]})");
  return cluster;
}

kube::ObjectList events() {
  kube::ObjectList list;
  list.items.emplace_back(
      Json::parse(R"({"type": "Warning", "reason": "Recovering", "note": "my-db-3 is away",
    "eventTime": "2026-08-21T09:56:40.000000Z", "reportingController": "db.example.com/pgc-operator",
    "series": {"count": 3, "lastObservedTime": "2026-08-21T09:59:00.000000Z"}})"));
  list.items.emplace_back(Json::parse(R"({"type": "Normal", "reason": "Ready", "note": "all ready",
    "eventTime": "2026-08-21T09:02:00.000000Z", "reportingController": "db.example.com/pgc-operator"})"));
  return list;
}

TEST_CASE("describe shows a cluster on a page") {
  test::PluginRun run;
  run.server.gets = {Object(running())};
  run.server.list_answer = events();
  const auto screen = run(kArguments);
  CHECK(screen.exit_code == 0);
  CHECK(screen.err.empty());
  CHECK(screen.out == R"(Name:        my-db
Namespace:   shop
Created:     2026-08-21T09:00:00Z (60m ago)
Status:      Recovering: 2 of 3 instances are ready; my-db-3 is not started yet
Version:     16
Replicas:    2 of 3 ready
Storage:     10Gi for each instance, the default StorageClass
Primary:     my-db-1-0
Timeline:    4
System ID:   7512345678901234567
Image:       localhost/pgc-postgres:dev
TLS:         Prefer

Connect:
  read and write  my-db-rw.shop.svc:5432
  read only       my-db-ro.shop.svc:5432
  credentials     Secret my-db-app: username, password, dbname
  from here       kubectl -n shop port-forward service/my-db-rw 5432
                  PGPASSWORD=$(kubectl -n shop get secret my-db-app -o jsonpath={.data.password} | base64 -d) psql -h localhost -U app app

Instances:
  NAME     ROLE     STATE      READY  TIMELINE  LAG    DISK FREE         NODE
  my-db-1  primary  running    yes    4         -      12 GiB of 20 GiB  node-a
  my-db-2  replica  streaming  yes    4         1 MiB  -                 node-b
  my-db-3  -        -          no     -         -      -                 -

Pending changes:
  my-db-2 takes its new settings with its next restart

Conditions:
  TYPE              STATUS  REASON       AGE    MESSAGE
  Ready             False   Recovering   3m20s  2 of 3 instances are ready; my-db-3 is not started yet
  PrimaryAvailable  True    PrimaryRuns  59m    my-db-1-0 takes writes

Events:
  TYPE     REASON      AGE  FROM                         MESSAGE
  Normal   Ready       58m  db.example.com/pgc-operator  all ready
  Warning  Recovering  60s  db.example.com/pgc-operator  my-db-3 is away (x3)
)");
}

TEST_CASE("describe asks for the cluster and its events and nothing else") {
  test::PluginRun run;
  run.server.gets = {Object(running())};
  run(kArguments);
  REQUIRE(run.server.got.size() == 1);
  CHECK(run.server.got[0].type == kube::kPostgresClusters);
  REQUIRE(run.server.listed.size() == 1);
  CHECK(run.server.listed[0].ns == "shop");
  CHECK(run.server.listed[0].field_selector ==
        "regarding.kind=PostgresCluster,regarding.name=my-db,regarding.uid=u-1");
}

TEST_CASE("describe says that nobody has looked at a cluster yet") {
  test::PluginRun run;
  run.server.gets = {Object(fresh())};
  const std::string out = run(kArguments).out;
  CHECK(out.find("Status:      not reconciled yet: no operator has looked at it\n") !=
        std::string::npos);
  CHECK(out.find("Replicas:    3 wanted\n") != std::string::npos);
  CHECK(out.find("Instances:\n  none yet\n") != std::string::npos);
  CHECK(out.find("Events:\n  none\n") != std::string::npos);
  CHECK(out.find("Primary:") == std::string::npos);
}

TEST_CASE("describe tells a status that is older than the latest change") {
  Json cluster = running();
  cluster["metadata"]["generation"] = 3;
  test::PluginRun run;
  run.server.gets = {Object(cluster)};
  CHECK(run(kArguments)
            .out.find("is not started yet (before the latest change: the operator has "
                      "not looked at that yet)\n") != std::string::npos);
}

TEST_CASE("describe warns of volumes that go with their instance") {
  Json cluster = fresh();
  cluster["spec"]["storage"]["persistentVolumeClaimRetentionPolicy"] = {{"whenScaled", "Delete"},
                                                                        {"whenDeleted", "Delete"}};
  test::PluginRun run;
  run.server.gets = {Object(cluster)};
  CHECK(run(kArguments)
            .out.find("\n             volumes are deleted when scaled in and when the "
                      "cluster is deleted\n") != std::string::npos);
}

TEST_CASE("describe says that a cluster is being deleted") {
  Json cluster = running();
  cluster["metadata"]["deletionTimestamp"] = "2026-08-21T09:59:30Z";
  test::PluginRun run;
  run.server.gets = {Object(cluster)};
  CHECK(run(kArguments).out.find("Status:      being deleted, for 30s\n") != std::string::npos);
}

TEST_CASE("describe goes without events that may not be read") {
  test::PluginRun run;
  run.server.gets = {Object(fresh())};
  run.server.list_answer = std::unexpected(kube::error_from_answer(
      403, R"({"kind":"Status","reason":"Forbidden","message":"events is forbidden"})"));
  const auto screen = run(kArguments);
  CHECK(screen.exit_code == 0);
  CHECK(screen.out.ends_with("Events:\n  not to be had: events is forbidden\n"));
}

TEST_CASE("describe keeps to the newest ten events") {
  test::PluginRun run;
  run.server.gets = {Object(fresh())};
  for (int minute = 59; minute >= 10; --minute) {
    run.server.list_answer->items.emplace_back(
        Json{{"type", "Normal"},
             {"reason", "At" + std::to_string(minute)},
             {"eventTime", "2026-08-21T09:" + std::to_string(minute) + ":00.000000Z"}});
  }
  const std::string out = run(kArguments).out;
  CHECK(out.find("At49") == std::string::npos);
  CHECK(out.find("At50") < out.find("At59"));
}

TEST_CASE("describe uses colour on a terminal only, and not against NO_COLOR") {
  test::PluginRun run;
  run.server.gets = {Object(running())};
  CHECK(run(kArguments).out.find('\x1b') == std::string::npos);
  run.terminal = true;
  run.environment = {{"TERM", "xterm"}};
  CHECK(run(kArguments).out.find("\x1b[33mRecovering\x1b[0m") != std::string::npos);
  run.environment["NO_COLOR"] = "";
  CHECK(run(kArguments).out.find('\x1b') == std::string::npos);
  run.environment = {{"TERM", "dumb"}};
  CHECK(run(kArguments).out.find('\x1b') == std::string::npos);
}

TEST_CASE("describe passes no control character of an object on") {
  Json cluster = running();
  cluster["status"]["phase"] = "\x1b[2J";
  cluster["status"]["instances"][0]["node"] = "\x1b]0;title\x07";
  cluster["status"]["conditions"][0]["message"] = "two\nlines";
  test::PluginRun run;
  run.server.gets = {Object(cluster)};
  const std::string out = run(kArguments).out;
  CHECK(out.find('\x1b') == std::string::npos);
  CHECK(out.find("^[[2J") != std::string::npos);
  CHECK(out.find("two\\nlines") != std::string::npos);
}

TEST_CASE("describe bears any shape of an object") {
  for (
      const char* text :
      {"{}", R"({"metadata":7})",
       R"({"status":{"observedGeneration":1,"instances":[7,{}],"conditions":{}}})",
       R"({"spec":{"storage":{"size":7}},"status":{"observedGeneration":1,"conditions":[7,null]}})"}) {
    test::PluginRun run;
    run.server.gets = {*Object::parse(text)};
    CAPTURE(text);
    CHECK(run(kArguments).exit_code == 0);
  }
}

}  // namespace
}  // namespace pgc::plugin
