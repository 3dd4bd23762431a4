#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"
#include "shared/reconcile/observed.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;
using test::drawn;

const char* const kSpec = "{replicas: 3, version: '16'}";

TEST_CASE("members are read from their pods, by number") {
  const Topology topology = topology_of(drawn(kSpec, R"(
    my-db-10  replica  streaming  position=4000 node=n3
    my-db-2   replica  starting   not-ready pending-restart terminating
    my-db-1   primary  running    leader timeline=4 position=5000
    my-db-3   -        -          no-pod)"));
  REQUIRE(topology.members.size() == 3);
  const Member& first = topology.members[0];
  CHECK(first.instance == "my-db-1");
  CHECK(first.pod == "my-db-1-0");
  CHECK(first.timeline == 4);
  CHECK(first.healthy());
  const Member& second = topology.members[1];
  CHECK(second.state == "starting");
  CHECK(second.pending_restart);
  CHECK(second.terminating);
  CHECK_FALSE(second.ready);
  const Member& tenth = topology.members[2];
  CHECK(tenth.number == 10);
  CHECK(tenth.state == "streaming");
  CHECK(tenth.position == 4000);
  CHECK(tenth.node == "n3");
  CHECK(topology.leader == "my-db-1-0");
  CHECK(topology.leader_position == 5000);
  CHECK(topology.leader_timeline == 4);
  CHECK(topology.system_identifier == "7412345678901234567");
}

struct Health {
  const char* member;
  bool healthy;
};

TEST_CASE("a primary is healthy when it runs, a replica only when it streams") {
  for (const Health& c : {
           Health{"my-db-1 primary running", true},
           Health{"my-db-1 primary running not-ready", false},
           Health{"my-db-1 primary running terminating", false},
           Health{"my-db-1 primary starting", false},
           Health{"my-db-1 replica streaming", true},
           Health{"my-db-1 replica streaming not-ready", false},
           Health{"my-db-1 replica running", false},
           Health{"my-db-1 - running", false},
           Health{"my-db-1 replica -", false},
       }) {
    CAPTURE(c.member);
    CHECK(topology_of(drawn(kSpec, c.member)).members.at(0).healthy() == c.healthy);
  }
}

TEST_CASE("who holds the lock is the primary only where its pod runs as one") {
  CHECK(topology_of(drawn(kSpec, "my-db-1 primary running leader")).primary() != nullptr);
  CHECK(topology_of(drawn(kSpec, "my-db-1 replica streaming leader")).primary() == nullptr);
  CHECK(topology_of(drawn(kSpec, "my-db-1 primary running leader no-pod")).primary() == nullptr);
  CHECK(topology_of(drawn(kSpec, "my-db-1 primary running")).primary() == nullptr);
}

TEST_CASE("what Patroni has not written, or wrote badly, is not known") {
  Observed observed = drawn(kSpec, "my-db-1 primary running leader");
  const kube::ObjectRef pod{kube::kPods, "shop", "my-db-1-0"};
  const kube::ObjectRef leader{kube::kConfigMaps, "shop", "my-db-ha-leader"};
  for (const char* published : {"", "{", "[]", "7", R"({"state": 7, "timeline": "x"})"}) {
    CAPTURE(published);
    Json document = observed.objects.at(pod).json();
    document["metadata"]["annotations"]["status"] = published;
    observed.objects.insert_or_assign(pod, kube::Object(document));
    Json lock = observed.objects.at(leader).json();
    lock["metadata"]["annotations"]["optime"] = "unknown";
    observed.objects.insert_or_assign(leader, kube::Object(lock));
    const Topology topology = topology_of(observed);
    CHECK(topology.members.at(0).state.empty());
    CHECK(topology.members.at(0).timeline == 0);
    CHECK(topology.leader_position == 0);
  }
}

TEST_CASE("pods that are no members of the cluster are left out") {
  Observed observed = drawn(kSpec, "my-db-1 primary running leader");
  const Json stranger = {{"metadata",
                          {{"name", "my-db-backup"},
                           {"namespace", "shop"},
                           {"labels", {{kInstanceLabel, "my-db-1-0"}}}}}};
  observed.objects.emplace(kube::ObjectRef{kube::kPods, "shop", "my-db-backup"},
                           kube::Object(stranger));
  CHECK(topology_of(observed).members.size() == 1);
}

TEST_CASE("without Patroni's objects there is neither leader nor system identifier") {
  const Topology topology = topology_of(test::bare(kSpec));
  CHECK(topology.leader.empty());
  CHECK(topology.system_identifier.empty());
  CHECK(topology.primary() == nullptr);
}

}  // namespace
}  // namespace pgc::reconcile
