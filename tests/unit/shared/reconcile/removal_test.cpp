#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;
using test::drawn;
using test::lines;
using test::plan_of;

using Texts = std::vector<std::string>;

const char* const kRetain = "{replicas: 2, version: '16'}";
const char* const kDelete =
    "{replicas: 2, version: '16', "
    "storage: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}";

Observed deleted(const char* spec, const char* members,
                 const Json& finalizers = Json::array({kFinalizer})) {
  Observed observed = drawn(spec, members);
  Json document = observed.resource.json();
  document["metadata"]["deletionTimestamp"] = "2026-01-31T11:59:00Z";
  document["metadata"]["finalizers"] = finalizers;
  observed.resource = kube::Object(document);
  return observed;
}

const char* const kRelease =
    "patch postgresclusters.db.example.com shop/my-db: everything of the cluster is gone";

TEST_CASE("first the replicas' sets go, and nothing else while there are pods") {
  const Plan plan = plan_of(deleted(kDelete, R"(my-db-1 primary running leader
                                                my-db-2 replica streaming
                                                my-db-3 replica streaming)"));
  CHECK(lines(plan) ==
        Texts{"delete statefulsets.apps shop/my-db-2: the cluster is being deleted",
              "delete statefulsets.apps shop/my-db-3: the cluster is being deleted"});
  CHECK(plan.look_again == std::chrono::seconds(2));
  CHECK_FALSE(plan.status);
}

TEST_CASE("the primary waits for the last replica's pod, so that nobody is promoted") {
  CHECK(plan_of(deleted(kDelete, R"(my-db-1 primary running leader
                                    my-db-2 replica streaming no-set terminating)"))
            .actions.empty());
  CHECK(lines(plan_of(deleted(kDelete, "my-db-1 primary running leader"))) ==
        Texts{"delete statefulsets.apps shop/my-db-1: the cluster is being deleted"});
}

TEST_CASE("without a primary all sets go at once") {
  CHECK(lines(plan_of(deleted(kDelete, R"(my-db-1 replica starting not-ready
                                          my-db-2 replica starting not-ready)"))) ==
        Texts{"delete statefulsets.apps shop/my-db-1: the cluster is being deleted",
              "delete statefulsets.apps shop/my-db-2: the cluster is being deleted"});
}

TEST_CASE("while the last pod stops, the removal waits") {
  const Plan plan = plan_of(deleted(kRetain, "my-db-1 primary running leader no-set terminating"));
  CHECK(plan.actions.empty());
  CHECK(plan.look_again);
}

TEST_CASE("then Patroni's objects go, before the finalizer") {
  CHECK(lines(plan_of(deleted(kRetain, "my-db-1 - - leader no-set no-pod"))) ==
        Texts{"delete configmaps shop/my-db-ha-leader: the cluster is being deleted",
              "delete configmaps shop/my-db-ha-config: the cluster is being deleted"});
}

TEST_CASE("under Retain the volumes and Secrets stay, and the finalizer goes last") {
  Observed observed = deleted(kRetain, "");
  const Observed with_volume = drawn(kRetain, "my-db-1 - - no-set no-pod");
  const kube::ObjectRef claim{kube::kPersistentVolumeClaims, "shop", "my-db-1-pgdata"};
  observed.objects.emplace(claim, with_volume.objects.at(claim));
  observed.secrets = {"my-db-app"};
  CHECK(lines(plan_of(observed)) == Texts{kRelease});
}

Observed deleted_without_members(const char* claims) {
  Observed observed = deleted(kRetain, "");
  for (auto& [ref, object] : drawn(kRetain, claims).objects) {
    if (ref.type == kube::kPersistentVolumeClaims) observed.objects.emplace(ref, object);
  }
  return observed;
}

TEST_CASE("a claim that was never bound goes also under Retain, as it was seen") {
  const Plan plan = plan_of(deleted_without_members(R"(my-db-1 - - no-set no-pod unbound
                                                       my-db-2 - - no-set no-pod)"));
  CHECK(lines(plan) ==
        Texts{"delete persistentvolumeclaims shop/my-db-1-pgdata: it was never bound to a volume"});
  CHECK_FALSE(std::get<Delete>(plan.actions.front()).resource_version.empty());
}

TEST_CASE("where a primary has led, a claim stays whether it is bound or not") {
  Observed observed = deleted_without_members(R"(my-db-1 - - no-set no-pod
                                                 my-db-2 - - no-set no-pod unbound)");
  const kube::ObjectRef first{kube::kPersistentVolumeClaims, "shop", "my-db-1-pgdata"};
  Json claim = observed.objects.at(first).json();
  claim["metadata"]["annotations"]["db.example.com/last-primary"] = R"({"instance": "my-db-1"})";
  observed.objects[first] = kube::Object(claim);
  CHECK(lines(plan_of(observed)) == Texts{kRelease});
}

TEST_CASE("under Delete the volumes go too, then the Secrets are given to the cluster") {
  CHECK(lines(plan_of(deleted(kDelete, "my-db-1 - - no-set no-pod")),
              "delete persistentvolumeclaims ") ==
        Texts{"shop/my-db-1-pgdata: whenDeleted is Delete"});

  Observed observed = deleted(kDelete, "");
  observed.secrets = {"my-db-app", "my-db-superuser"};
  const Plan last = plan_of(observed);
  CHECK(lines(last) ==
        Texts{"create secrets shop/my-db-app", "create secrets shop/my-db-superuser", kRelease});
  const kube::Object* adopted = test::applied(last, kube::kSecrets, "my-db-app");
  REQUIRE(adopted != nullptr);
  CHECK(adopted->controller_uid() == "uid-of-cluster");
  CHECK_FALSE(adopted->json().contains("data"));
}

Json finalizers_after(const Plan& plan) {
  for (const Action& action : plan.actions) {
    if (const auto* patch = std::get_if<Patch>(&action)) {
      const Json& operations = patch->operations.json()["patch"];
      CHECK(operations[0] == Json::parse(R"({"op": "replace", "value": "100",
                                             "path": "/metadata/resourceVersion"})"));
      CHECK(operations[1]["path"] == "/metadata/finalizers");
      return operations[1]["value"];
    }
  }
  return "none";
}

TEST_CASE("other finalizers stay when ours comes and when it goes") {
  CHECK(finalizers_after(plan_of(deleted(kRetain, "", {"a.example.com/x", kFinalizer}))) ==
        Json::parse(R"(["a.example.com/x"])"));

  Observed fresh = test::bare(kRetain);
  Json document = fresh.resource.json();
  document["metadata"]["finalizers"] = {"a.example.com/x"};
  fresh.resource = kube::Object(document);
  CHECK(finalizers_after(plan_of(fresh)) ==
        Json::parse(R"(["a.example.com/x", "db.example.com/cleanup"])"));
}

TEST_CASE("without our finalizer there is nothing left to do") {
  CHECK(
      plan_of(deleted(kDelete, "my-db-1 - - leader no-set no-pod", Json::array())).actions.empty());
}

TEST_CASE("a cluster without an image for its version can still be removed") {
  Observed observed = deleted(kRetain, "");
  CHECK(lines(plan(observed, Settings{}, test::noon())) == Texts{kRelease});
}

}  // namespace
}  // namespace pgc::reconcile
