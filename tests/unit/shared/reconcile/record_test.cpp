#include "shared/reconcile/record.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;
using test::applied;
using test::drawn;
using test::lines;
using test::plan_of;
using Texts = std::vector<std::string>;

const char* const kThree = R"({replicas: 3, version: "16"})";
const char* const kAnnotation = "db.example.com/last-primary";

// The volumes of two members that are gone, and no word of Patroni's. An empty record: none.
Observed volumes(const std::string& first, const std::string& second) {
  Observed observed = drawn(kThree, R"(my-db-1 - - no-set no-pod
                                       my-db-2 - - no-set no-pod)");
  observed.objects.erase({kube::kConfigMaps, "shop", "my-db-ha-config"});
  for (const auto& [name, record] :
       {std::pair("my-db-1-pgdata", first), {"my-db-2-pgdata", second}}) {
    kube::Object& claim = observed.objects.at({kube::kPersistentVolumeClaims, "shop", name});
    Json document = claim.json();
    if (!record.empty()) document["metadata"]["annotations"][kAnnotation] = record;
    claim = kube::Object(document);
  }
  return observed;
}

std::string record(const std::string& primary, int timeline, const std::string& version = "16") {
  return Json{{"instance", primary}, {"timeline", timeline}, {"version", version}}.dump();
}

Texts sets_made(const Observed& observed) {
  return lines(plan_of(observed), "create statefulsets.apps shop/");
}

}  // namespace

TEST_CASE("while a primary leads, every volume says so") {
  const Plan plan = plan_of(drawn(kThree, R"(my-db-1 replica streaming
                                             my-db-2 primary running leader timeline=4
                                             my-db-3 replica streaming)"));
  for (const char* name : {"my-db-1-pgdata", "my-db-2-pgdata", "my-db-3-pgdata"}) {
    const auto* claim = applied(plan, kube::kPersistentVolumeClaims, name);
    REQUIRE(claim != nullptr);
    CHECK(Json::parse(claim->annotation(kAnnotation)) ==
          Json{{"instance", "my-db-2"},
               {"timeline", 4},
               {"systemIdentifier", "7412345678901234567"},
               {"version", "16"}});
  }
}

TEST_CASE("while nobody leads, the record stands as it is") {
  Observed observed = volumes(record("my-db-2", 4), record("my-db-2", 4));
  const Plan plan = plan_of(observed);
  const auto* claim = applied(plan, kube::kPersistentVolumeClaims, "my-db-2-pgdata");
  REQUIRE(claim != nullptr);
  CHECK(claim->annotation(kAnnotation) == record("my-db-2", 4));
}

TEST_CASE("a cluster that comes back starts its last primary alone") {
  CHECK(sets_made(volumes(record("my-db-2", 4), record("my-db-2", 4))) == Texts{"my-db-2"});
  // The volume of a member that was scaled in long ago knows only an older one.
  CHECK(sets_made(volumes(record("my-db-1", 3), record("my-db-2", 4))) == Texts{"my-db-2"});
}

TEST_CASE("the others follow once Patroni knows the cluster again") {
  Observed observed = volumes(record("my-db-2", 4), record("my-db-2", 4));
  const Observed back = drawn(kThree, "my-db-2 primary running leader timeline=4");
  for (const auto& [ref, object] : back.objects) observed.objects.insert_or_assign(ref, object);
  CHECK(sets_made(observed) == Texts{"my-db-1", "my-db-3"});
}

TEST_CASE("all start at once where no volume tells of a primary, or its volume is lost") {
  const Texts all{"my-db-1", "my-db-2", "my-db-3"};
  CHECK(sets_made(volumes("", "")) == all);
  CHECK(sets_made(volumes("{broken", "[]")) == all);
  CHECK(sets_made(volumes(record("my-db-7", 4), record("my-db-7", 4))) == all);
}

TEST_CASE("volumes of another major are left alone") {
  const Plan plan = plan_of(volumes(record("my-db-2", 4, "15"), record("my-db-2", 4, "15")));
  CHECK(plan.actions.empty());
  REQUIRE(plan.status);
  CHECK(kube::string_at(plan.status->json(), {"status", "phase"}) == "UpgradeNotAvailable");
}

}  // namespace pgc::reconcile
