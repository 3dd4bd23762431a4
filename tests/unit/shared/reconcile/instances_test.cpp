#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using test::applied;
using test::drawn;
using test::lines;
using test::plan_of;

using Texts = std::vector<std::string>;

std::string spec(int replicas, const std::string& more = "") {
  return "{replicas: " + std::to_string(replicas) + ", version: '16'" + more + "}";
}

struct Scale {
  const char* what;
  int replicas;
  const char* members;
  Texts created;  // StatefulSets
  Texts deleted;
};

void check(const Scale& c) {
  CAPTURE(c.what);
  const Plan plan = plan_of(drawn(spec(c.replicas), c.members));
  CHECK(lines(plan, "create statefulsets.apps shop/") == c.created);
  Texts deleted;
  for (std::string& line : lines(plan, "delete statefulsets.apps shop/")) {
    deleted.push_back(line.substr(0, line.find(':')));
  }
  CHECK(deleted == c.deleted);
  for (const Action& action : plan.actions) {
    const auto* gone = std::get_if<Delete>(&action);
    if (gone != nullptr) CHECK(gone->uid == "uid-" + gone->ref.name);
  }
}

TEST_CASE("scaling out fills gaps from below, then goes on above") {
  check({"a first cluster", 3, "", {"my-db-1", "my-db-2", "my-db-3"}, {}});
  check({"one more", 2, "my-db-1 primary running leader", {"my-db-2"}, {}});
  check({"a gap and the top",
         4,
         R"(my-db-2 primary running leader
                                    my-db-3 replica streaming)",
         {"my-db-1", "my-db-4"},
         {}});
  check({"also while nobody leads", 2, "my-db-1 replica running", {"my-db-2"}, {}});
}

TEST_CASE("scaling in takes an unhealthy replica first, else the highest number") {
  check({"the highest",
         2,
         R"(my-db-1 primary running leader
                              my-db-2 replica streaming
                              my-db-3 replica streaming)",
         {},
         {"my-db-3"}});
  check({"the unhealthy one",
         2,
         R"(my-db-1 primary running leader
                                    my-db-2 replica starting not-ready
                                    my-db-3 replica streaming)",
         {},
         {"my-db-2"}});
  check({"one without a pod",
         2,
         R"(my-db-1 primary running leader
                                    my-db-2 - - no-pod
                                    my-db-3 replica streaming)",
         {},
         {"my-db-2"}});
  check({"of two unhealthy ones the higher",
         3,
         R"(my-db-1 primary running leader
                                                   my-db-2 replica starting
                                                   my-db-3 replica starting
                                                   my-db-4 replica streaming)",
         {},
         {"my-db-3"}});
  check({"the unhealthy one and the highest",
         2,
         R"(my-db-1 primary running leader
                                                    my-db-2 replica stopped
                                                    my-db-3 replica streaming
                                                    my-db-4 replica streaming)",
         {},
         {"my-db-2", "my-db-4"}});
  check({"by number, not by text",
         2,
         R"(my-db-2  replica streaming
                                         my-db-9  primary running leader
                                         my-db-10 replica streaming)",
         {},
         {"my-db-10"}});
}

TEST_CASE("scaling in never takes the leader") {
  check({"the highest leads",
         1,
         R"(my-db-1 replica streaming
                                    my-db-2 replica streaming
                                    my-db-3 primary running leader)",
         {},
         {"my-db-1", "my-db-2"}});
  check({"an unhealthy leader",
         1,
         R"(my-db-1 replica streaming
                                      my-db-2 primary running leader not-ready)",
         {},
         {"my-db-1"}});
}

TEST_CASE("while nobody leads nobody is taken, and the plan looks again soon") {
  const char* const members = R"(my-db-1 replica streaming
                                 my-db-2 replica streaming)";
  check({"no leader", 1, members, {}, {}});
  check({"a leader whose pod is gone",
         1,
         R"(my-db-1 replica streaming
                                             my-db-2 primary running leader no-pod)",
         {},
         {}});
  check({"a leader that has not been promoted yet",
         1,
         R"(my-db-1 replica streaming leader
                                                          my-db-2 replica streaming)",
         {},
         {}});
  CHECK(plan_of(drawn(spec(1), members)).look_again == std::chrono::seconds(5));
  CHECK_FALSE(plan_of(drawn(spec(2), members)).look_again);
}

TEST_CASE("a set that is being deleted already is neither counted nor deleted again") {
  Observed observed = drawn(spec(2), R"(my-db-1 primary running leader
                                        my-db-2 replica streaming
                                        my-db-3 replica streaming)");
  const kube::ObjectRef third{kube::kStatefulSets, "shop", "my-db-3"};
  kube::Json document = observed.objects.at(third).json();
  document["metadata"]["deletionTimestamp"] = "2026-01-31T11:59:00Z";
  observed.objects.insert_or_assign(third, kube::Object(document));
  CHECK(lines(plan_of(observed), "delete statefulsets").empty());
}

TEST_CASE("volumes of members that are gone stay unless the policy says Delete") {
  const char* const members = R"(my-db-1 primary running leader
                                 my-db-2 replica streaming no-set no-pod)";
  CHECK(lines(plan_of(drawn(spec(1), members)), "delete").empty());
}

struct Leftover {
  const char* what;
  const char* members;
  Texts deleted;
};

TEST_CASE("under Delete a volume goes when its set and pod are gone and a primary serves") {
  const std::string policy =
      ", storage: {persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}}";
  for (const Leftover& c : {
           Leftover{"all gone",
                    R"(my-db-1 primary running leader
                                   my-db-2 - - no-set no-pod)",
                    {"my-db-2-pgdata"}},
           Leftover{"the pod still stops",
                    R"(my-db-1 primary running leader
                                              my-db-2 replica streaming no-set terminating)",
                    {}},
           Leftover{"the set is still there",
                    R"(my-db-1 primary running leader
                                                 my-db-2 - - no-pod)",
                    {}},
           Leftover{"nobody leads",
                    R"(my-db-1 replica running
                                       my-db-2 - - no-set no-pod)",
                    {}},
           Leftover{"a member lost from below",
                    R"(
                                   my-db-1 - - no-set no-pod
                                   my-db-2 primary running leader)",
                    {"my-db-1-pgdata"}},
       }) {
    CAPTURE(c.what);
    Texts deleted;
    const Plan plan = plan_of(drawn(spec(1, policy), c.members));
    for (std::string& line : lines(plan, "delete persistentvolumeclaims shop/")) {
      deleted.push_back(line.substr(0, line.find(':')));
    }
    CHECK(deleted == c.deleted);
  }
}

TEST_CASE("a gap that is filled again takes up its old volume") {
  const Plan plan = plan_of(
      drawn(spec(2, ", storage: {persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}}"),
            R"(my-db-1 - - no-set no-pod
         my-db-2 primary running leader)"));
  CHECK(lines(plan, "create statefulsets.apps shop/") == Texts{"my-db-1"});
  CHECK(lines(plan, "delete").empty());
}

TEST_CASE("an instance is one StatefulSet of one pod with its own volume") {
  const Plan plan = plan_of(test::bare(spec(1, ", storage: {size: 20Gi, storageClass: fast}")));
  const kube::Object* set = applied(plan, kube::kStatefulSets, "my-db-1");
  REQUIRE(set != nullptr);
  const kube::Json& wanted = set->json()["spec"];
  CHECK(wanted["replicas"] == 1);
  CHECK(wanted["updateStrategy"]["type"] == "OnDelete");
  CHECK(wanted["serviceName"] == "my-db-pods");
  for (const auto& [key, value] : wanted["selector"]["matchLabels"].items()) {
    CHECK(wanted["template"]["metadata"]["labels"][key] == value);
  }
  CHECK(set->controller_uid() == "uid-of-cluster");

  const kube::Object* claim = applied(plan, kube::kPersistentVolumeClaims, "my-db-1-pgdata");
  REQUIRE(claim != nullptr);
  CHECK(claim->json()["spec"]["resources"]["requests"]["storage"] == "20Gi");
  CHECK(claim->json()["spec"]["storageClassName"] == "fast");
  CHECK(claim->controller_uid().empty());  // it outlives the cluster
}

// The class of a volume can't be changed: asking for it would fail every later plan.
TEST_CASE("a volume keeps the class it was made with") {
  Observed observed = drawn(spec(1), "my-db-1 primary running leader");
  const kube::ObjectRef claim{kube::kPersistentVolumeClaims, "shop", "my-db-1-pgdata"};
  kube::Json document = observed.objects.at(claim).json();
  document["spec"]["storageClassName"] = "old";
  observed.objects.insert_or_assign(claim, kube::Object(document));
  Settings settings = test::settings();
  settings.storage_class = "new";
  const Plan after = plan(observed, settings, test::noon());
  const kube::Object* wanted = applied(after, kube::kPersistentVolumeClaims, "my-db-1-pgdata");
  REQUIRE(wanted != nullptr);
  CHECK(wanted->json()["spec"]["storageClassName"] == "old");
}

}  // namespace
}  // namespace pgc::reconcile
