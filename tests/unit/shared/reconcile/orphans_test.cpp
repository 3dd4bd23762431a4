#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;
using Texts = std::vector<std::string>;

const char* const kDrawing = "my-db-1 primary running leader\nmy-db-2 replica streaming";

// Something that another version of the operator has made for the cluster; `change` makes it
// different.
Plan plan_beside(const kube::ResourceType& type, const Json& change = Json::object()) {
  Observed observed = test::drawn("{version: '16', replicas: 2}", kDrawing);
  Json object = {{"metadata",
                  {{"name", "my-db-old"},
                   {"namespace", "shop"},
                   {"uid", "uid-of-old"},
                   {"resourceVersion", "7"},
                   {"labels", Names{"my-db"}.labels()},
                   {"annotations", {{kIntentAnnotation, "0123456789abcdef"}}},
                   {"ownerReferences", Json::array({{{"kind", "PostgresCluster"},
                                                     {"uid", observed.cluster.uid},
                                                     {"controller", true}}})}}}};
  object.merge_patch(change);
  observed.objects.emplace(kube::ObjectRef{type, "shop", "my-db-old"}, kube::Object(object));
  return test::plan_of(observed);
}

Texts removed(const kube::ResourceType& type, const Json& change = Json::object()) {
  return test::lines(plan_beside(type, change), "delete");
}

TEST_CASE("what is the cluster's and wanted by nobody goes, as it was seen and not otherwise") {
  for (const kube::ResourceType& type :
       {kube::kServices, kube::kConfigMaps, kube::kServiceAccounts, kube::kRoles,
        kube::kRoleBindings, kube::kPodDisruptionBudgets}) {
    CAPTURE(type.plural);
    CHECK(removed(type).size() == 1);
  }
  const Plan plan = plan_beside(kube::kServices);
  const auto* removal = std::get_if<Delete>(&plan.actions.back());
  REQUIRE(removal != nullptr);
  CHECK(removal->ref == kube::ObjectRef{kube::kServices, "shop", "my-db-old"});
  CHECK(removal->uid == "uid-of-old");
  CHECK(removal->resource_version == "7");
  REQUIRE_FALSE(plan.events.empty());
  CHECK(plan.events.front().note ==
        "Removed services my-db-old, which nothing of the cluster wants any more");
}

TEST_CASE("what holds data or a database is never an orphan") {
  for (const kube::ResourceType& type :
       {kube::kPersistentVolumeClaims, kube::kPods, kube::kSecrets, kube::kStatefulSets}) {
    CAPTURE(type.plural);
    CHECK(removed(type).empty());
  }
}

TEST_CASE("what is not quite ours stays") {
  const auto owner = [](const Json& reference) {
    return Json{{"metadata", {{"ownerReferences", Json::array({reference})}}}};
  };
  const std::string cluster(kClusterLabel);
  const std::string manager(kManagedByLabel);
  for (const Json& change :
       {owner({{"uid", "of-another"}, {"controller", true}}),
        owner({{"uid", test::bare("version: '16'").cluster.uid}}),  // it goes with us, no more
        Json{{"metadata", {{"ownerReferences", nullptr}}}},
        Json{{"metadata", {{"labels", {{cluster, "other"}}}}}},
        Json{{"metadata", {{"labels", {{manager, "other"}}}}}},
        Json{{"metadata", {{"labels", nullptr}}}}, Json{{"metadata", {{"annotations", nullptr}}}},
        Json{{"metadata", {{"deletionTimestamp", "2026-01-31T11:59:00Z"}}}}}) {
    CAPTURE(change.dump());
    CHECK(removed(kube::kServices, change).empty());
  }
}

TEST_CASE("a plan that is refused, and one of a cluster that goes, clean up nothing") {
  Observed observed = test::drawn("{version: '16', replicas: 2}", kDrawing);
  const Plan once = test::plan_of(observed);
  const kube::Object service = *test::applied(once, kube::kServices, "my-db-rw");
  Json old = service.json();
  old["metadata"]["name"] = "my-db-old";
  observed.objects.emplace(kube::ObjectRef{kube::kServices, "shop", "my-db-old"},
                           kube::Object(old));
  CHECK(test::lines(test::plan_of(observed), "delete services").size() == 1);
  CHECK(plan(observed, {}, test::noon()).actions.empty());
  Json resource = observed.resource.json();
  resource["metadata"]["deletionTimestamp"] = "2026-01-31T11:59:00Z";
  observed.resource = kube::Object(resource);
  CHECK(test::lines(test::plan_of(observed), "delete services").empty());
}

}  // namespace
}  // namespace pgc::reconcile
