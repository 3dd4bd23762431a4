#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/prune.h"
#include "shared/schema/structural/validate.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;
using std::chrono::seconds;
using test::drawn;
using test::noon;
using test::plan_of;

const char* const kThree = "{replicas: 3, version: '16'}";
const char* const kConverged = R"(
  my-db-1  primary  running    leader
  my-db-2  replica  streaming
  my-db-3  replica  streaming)";

Json status_of(const Plan& plan) {
  REQUIRE(plan.status);
  return plan.status->json()["status"];
}

Json condition(const Json& status, const std::string& type) {
  for (const Json& entry : status["conditions"]) {
    if (entry["type"] == type) return entry;
  }
  FAIL("no condition " << type);
  return {};
}

void store(Observed& observed, const Json& status) {
  Json document = observed.resource.json();
  document["status"] = status;
  observed.resource = kube::Object(document);
}

// The same cluster, later, with the status of before.
Observed later(Observed observed, const Json& status) {
  store(observed, status);
  return observed;
}

// The status of a cluster that has been Ready with three members.
Json once_ready() {
  return status_of(plan_of(drawn(kThree, kConverged)));
}

struct Phase {
  const char* phase;
  int replicas;
  const char* members;
  bool was_ready;
};

TEST_CASE("the phase is one word for what keeps the cluster from being ready") {
  for (const Phase& c : {
           Phase{"Creating", 3, "", false},
           Phase{"Creating", 3, "my-db-1 - starting not-ready", false},
           Phase{"Creating", 3, "my-db-1 primary running leader", false},
           Phase{"Ready", 3, kConverged, false},
           Phase{"Ready", 1, "my-db-1 primary running leader", false},
           Phase{"ScalingOut", 5, kConverged, true},
           Phase{"ScalingIn", 2, kConverged, true},
           Phase{"NoPrimary", 3, R"(my-db-1 replica stopped not-ready
                                    my-db-2 replica streaming
                                    my-db-3 replica streaming)",
                 true},
           Phase{"NoPrimary", 3, R"(my-db-1 primary running leader not-ready
                                    my-db-2 replica streaming
                                    my-db-3 replica streaming)",
                 true},
           Phase{"NoPrimary", 3, R"(my-db-1 - - leader no-pod
                                    my-db-2 replica streaming
                                    my-db-3 replica streaming)",
                 true},
           Phase{"Recovering", 3, R"(my-db-1 primary running leader
                                     my-db-2 replica starting not-ready
                                     my-db-3 replica streaming)",
                 true},
           Phase{"Recovering", 3, R"(my-db-1 primary running leader
                                     my-db-2 replica streaming
                                     my-db-3 replica streaming terminating)",
                 true},
       }) {
    CAPTURE(c.phase, c.members);
    Observed observed =
        drawn("{version: '16', replicas: " + std::to_string(c.replicas) + "}", c.members);
    if (c.was_ready) store(observed, once_ready());
    const Json status = status_of(plan_of(observed));
    CHECK(status["phase"] == c.phase);
    CHECK(condition(status, "Ready")["reason"] == c.phase);
    CHECK(condition(status, "Ready")["status"] == (status["phase"] == "Ready" ? "True" : "False"));
  }
}

TEST_CASE("the status of a converged cluster") {
  const Json status = once_ready();
  CHECK(status["observedGeneration"] == 7);
  CHECK(status["replicas"] == 3);
  CHECK(status["readyReplicas"] == 3);
  CHECK(status["currentPrimary"] == "my-db-1-0");
  CHECK(status["timeline"] == 1);
  CHECK(status["version"] == "16");
  CHECK(status["image"] == "postgres:16");
  CHECK(status["tlsMode"] == "Require");
  CHECK(status["selector"] == "db.example.com/cluster=my-db,db.example.com/patroni=my-db-ha");
  CHECK(status["systemIdentifier"] == "7412345678901234567");
  CHECK(status["instances"].size() == 3);
  for (const char* holds : {"Ready", "PrimaryAvailable", "ReplicasReady"}) {
    CHECK(condition(status, holds)["status"] == "True");
  }
  for (const char* does_not : {"Progressing", "Degraded"}) {
    CHECK(condition(status, does_not)["status"] == "False");
  }
}

TEST_CASE("a status that stands is not written, and tells nothing anew") {
  const Plan again = plan(later(drawn(kThree, kConverged), once_ready()), test::settings(),
                          noon() + seconds(3600));
  CHECK_FALSE(again.status);
  CHECK(again.events.empty());
}

TEST_CASE("a condition's time moves only when its status does") {
  Observed lost = later(drawn(kThree, R"(
    my-db-1  primary  running    leader
    my-db-2  replica  streaming
    my-db-3  replica  starting   not-ready)"),
                        once_ready());
  const Json status = status_of(plan(lost, test::settings(), noon() + seconds(60)));
  CHECK(condition(status, "Ready")["lastTransitionTime"] == "2026-01-31T12:01:00Z");
  CHECK(condition(status, "PrimaryAvailable")["lastTransitionTime"] == "2026-01-31T12:00:00Z");

  store(lost, status);
  lost.last_error = "the quota is used up";
  const Json later_status = status_of(plan(lost, test::settings(), noon() + seconds(120)));
  CHECK(condition(later_status, "Ready")["lastTransitionTime"] == "2026-01-31T12:01:00Z");
  CHECK(condition(later_status, "Degraded")["lastTransitionTime"] == "2026-01-31T12:02:00Z");
}

TEST_CASE("the last error of a write stands in Degraded until it is gone") {
  Observed observed = drawn(kThree, kConverged);
  observed.last_error = "the quota is used up";
  const Json degraded = condition(status_of(plan_of(observed)), "Degraded");
  CHECK(degraded["status"] == "True");
  CHECK(degraded["message"] == "the quota is used up");
}

TEST_CASE("a member that is not ready is named with what it does") {
  const Json status = status_of(plan_of(drawn("{replicas: 6, version: '16'}", R"(
    my-db-1  primary  running    leader
    my-db-2  replica  starting   not-ready
    my-db-3  -        -          unschedulable
    my-db-4  -        -          waiting=ImagePullBackOff
    my-db-5  -        -          waiting=ContainerCreating
    my-db-6  replica  streaming  terminating)")));
  CHECK(
      condition(status, "Ready")["message"] ==
      "1 of 6 instances are ready; my-db-2 is starting, not ready; my-db-3 waits (cannot be "
      "scheduled: no node has room); my-db-4 waits (container postgres: ImagePullBackOff); my-db-5 "
      "has not started yet; my-db-6 is terminating");
}

struct Lag {
  const char* position;
  std::int64_t bytes;
};

// 100 MiB is where the leader stands.
TEST_CASE("lag is told in whole MiB, so that the status stands still under load") {
  for (const Lag& c : {Lag{"104857600", 0}, Lag{"104857599", 0}, Lag{"103809025", 0},
                       Lag{"103809024", 1048576}, Lag{"4096", 103809024}, Lag{"104900000", 0}}) {
    CAPTURE(c.position);
    const Json status = status_of(plan_of(drawn(kThree,
                                                "my-db-1 primary running leader "
                                                "position=104857600\n"
                                                "my-db-2 replica streaming position=" +
                                                    std::string(c.position))));
    CHECK(status["instances"][1]["lagBytes"] == c.bytes);
    CHECK_FALSE(status["instances"][0].contains("lagBytes"));
  }
}

TEST_CASE("lag is left out where one of the positions is not known") {
  const Json status = status_of(plan_of(drawn(kThree, R"(
    my-db-1 primary running leader
    my-db-2 replica streaming position=0)")));
  CHECK_FALSE(status["instances"][1].contains("lagBytes"));
}

TEST_CASE("the agent's report of the data volume stands in the status") {
  Observed observed = drawn(kThree, R"(
    my-db-1 primary running leader
    my-db-2 replica streaming)");
  kube::Object& pod = observed.objects.at({kube::kPods, "shop", "my-db-1-0"});
  Json document = pod.json();
  document["metadata"]["annotations"]["db.example.com/report"] =
      R"({"data":{"freeBytes":1048576,"totalBytes":4194304}})";
  pod = kube::Object(document);
  const Json status = status_of(plan_of(observed));
  CHECK(status["instances"][0]["dataVolume"] ==
        Json{{"freeBytes", 1048576}, {"totalBytes", 4194304}});
  CHECK_FALSE(status["instances"][1].contains("dataVolume"));
}

// A field that the CRD does not know would be dropped, and the status written for ever.
TEST_CASE("the CRD takes every status that we write as it is") {
  Observed observed = drawn(kThree, R"(
    my-db-1  primary  running    leader position=104857600 timeline=3 node=n1
    my-db-2  replica  streaming  position=4096 pending-restart node=n2
    my-db-3  -        -          not-ready)");
  observed.last_error = "x";
  for (const Plan& made :
       {plan_of(observed), refuse(observed, "Invalid", "spec.replicas: too many", noon())}) {
    REQUIRE(made.status);
    Json document = observed.resource.json();
    document["status"] = made.status->json()["status"];
    CHECK(schema::unknown_fields(document) == std::vector<std::string>{});
    const auto errors = schema::validate(schema::postgrescluster_schema(), document);
    for (const auto& error : errors) FAIL_CHECK(schema::to_string(error));
  }
}

std::vector<std::string> reasons(const Plan& plan) {
  std::vector<std::string> result;
  for (const Event& event : plan.events) {
    result.push_back(event.reason + (event.warning ? " (warning)" : ""));
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST_CASE("a new primary and a new phase are told once") {
  const char* const failed_over = R"(
    my-db-1  replica  streaming
    my-db-2  primary  running    leader timeline=2
    my-db-3  replica  streaming)";
  const Observed observed = later(drawn(kThree, failed_over), once_ready());
  const Plan plan = plan_of(observed);
  CHECK(reasons(plan) == Texts{"PrimaryChanged"});
  CHECK(plan.events[0].note == "my-db-2-0 is the primary now, before it was my-db-1-0");
  CHECK(reasons(plan_of(later(observed, status_of(plan)))).empty());
}

TEST_CASE("losing the primary is a warning") {
  const Observed observed = later(drawn(kThree, R"(
    my-db-1  replica  streaming
    my-db-2  replica  streaming
    my-db-3  replica  streaming)"),
                                  once_ready());
  CHECK(reasons(plan_of(observed)) == Texts{"NoPrimary (warning)"});
}

TEST_CASE("a refused cluster says why in Ready and Degraded, once") {
  Observed observed = test::bare("version: '16'");
  const Plan refused = refuse(observed, "Invalid", "spec.replicas: too many", noon());
  CHECK(refused.actions.empty());
  const Json status = status_of(refused);
  CHECK(status["phase"] == "Invalid");
  CHECK(condition(status, "Ready")["message"] == "spec.replicas: too many");
  CHECK(condition(status, "Degraded")["status"] == "True");
  CHECK(reasons(refused) == Texts{"Invalid (warning)"});

  store(observed, status);
  const Plan again = refuse(observed, "Invalid", "spec.replicas: too many", noon() + seconds(9));
  CHECK_FALSE(again.status);
  CHECK(again.events.empty());
}

}  // namespace
}  // namespace pgc::reconcile
