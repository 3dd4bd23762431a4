#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using test::applied;
using test::bare;
using test::lines;
using test::plan_of;

Observed with_budget(const char* spec, const kube::Json& more = kube::Json::object()) {
  Observed observed = bare(spec);
  kube::Json budget = {
      {"metadata", {{"name", "my-db"}, {"namespace", "shop"}, {"uid", "uid-of-budget"}}}};
  budget.merge_patch(more);
  observed.objects.emplace(kube::ObjectRef{kube::kPodDisruptionBudgets, "shop", "my-db"},
                           kube::Object(budget));
  return observed;
}

TEST_CASE("all members but one must stay available") {
  for (const int replicas : {2, 3, 16}) {
    const std::string spec = "{version: '16', replicas: " + std::to_string(replicas) + "}";
    const Plan plan = plan_of(bare(spec));
    const kube::Object* budget = applied(plan, kube::kPodDisruptionBudgets, "my-db");
    REQUIRE(budget != nullptr);
    CHECK(budget->json()["spec"]["minAvailable"] == replicas - 1);
    CHECK(budget->json()["spec"]["selector"]["matchLabels"] ==
          kube::Json::parse(R"({"db.example.com/cluster": "my-db",
                                "db.example.com/patroni": "my-db-ha"})"));
  }
}

TEST_CASE("a single member has no budget, and one that is left goes") {
  const char* const single = "{version: '16', replicas: 1}";
  CHECK(applied(plan_of(bare(single)), kube::kPodDisruptionBudgets, "my-db") == nullptr);
  const Plan plan = plan_of(with_budget(single));
  REQUIRE(lines(plan, "delete") ==
          std::vector<std::string>{" poddisruptionbudgets.policy shop/my-db: a single member has "
                                   "no disruption budget"});
  for (const Action& action : plan.actions) {
    if (const auto* gone = std::get_if<Delete>(&action)) CHECK(gone->uid == "uid-of-budget");
  }
}

TEST_CASE("a budget that is going already is not deleted again") {
  const kube::Json going = {{"metadata", {{"deletionTimestamp", "2026-01-31T11:59:00Z"}}}};
  CHECK(lines(plan_of(with_budget("{version: '16', replicas: 1}", going)), "delete").empty());
}

}  // namespace
}  // namespace pgc::reconcile
