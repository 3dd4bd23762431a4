#include "shared/reconcile/intent.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;

struct Case {
  const char* live;
  const char* wanted;
  bool contained;
};

TEST_CASE("a live object contains what is wanted when nothing wanted is missing or other") {
  for (const Case& c : {
           Case{R"({"a": 1, "more": 2})", R"({"a": 1})", true},
           Case{R"({"a": 1})", R"({"a": 2})", false},
           Case{R"({})", R"({"a": 1})", false},
           Case{R"({"a": {"b": 1, "more": 2}})", R"({"a": {"b": 1}})", true},
           Case{R"({"a": [{"n": 1, "more": 2}]})", R"({"a": [{"n": 1}]})", true},
           Case{R"({"a": [1, 2]})", R"({"a": [1]})", false},
           Case{R"({"a": [1]})", R"({"a": [1, 2]})", false},
           Case{R"({"a": [2, 1]})", R"({"a": [1, 2]})", false},
           Case{R"({"a": {}})", R"({"a": {}})", true},
           Case{R"({"a": null})", R"({"a": {}})", false},
           Case{R"({"a": "1"})", R"({"a": 1})", false},
           Case{R"([])", R"({})", false},
           Case{R"({"a": 1.0})", R"({"a": 1})", true},
           // One label more in a selector selects something else.
           Case{R"({"selector": {"a": "1", "b": "2"}})", R"({"selector": {"a": "1"}})", false},
       }) {
    CAPTURE(c.live, c.wanted);
    CHECK(contains(Json::parse(c.live), Json::parse(c.wanted)) == c.contained);
  }
}

TEST_CASE("the first difference is told by its path") {
  const Json live = Json::parse(R"({"spec": {"ports": [{"port": 1}, {"port": 2}]}})");
  const auto difference = [&](const char* wanted) {
    return first_difference(live, Json::parse(wanted)).value_or("none");
  };
  CHECK(difference(R"({"spec": {"ports": [{"port": 1}, {"port": 3}]}})") == "/spec/ports/1/port");
  CHECK(difference(R"({"spec": {"ports": []}})") == "/spec/ports");
  CHECK(difference(R"({"spec": {"type": "ClusterIP"}})") == "/spec/type");
  CHECK(difference(R"({"spec": {"ports": [{}, {}]}})") == "none");
}

// A ConfigMap as we want it.
Json wanted(const Observed& observed, Json data = {{"key", "value"}}) {
  Json map = skeleton(observed, kube::kConfigMaps, "my-db-x", Owned::kYes);
  map["data"] = std::move(data);
  return map;
}

std::vector<Action> actions_for(const Observed& observed, const Json& map) {
  Plan plan;
  apply(observed, kube::kConfigMaps, map, plan);
  CHECK(plan.wanted == std::set{kube::ObjectRef{kube::kConfigMaps, "shop", "my-db-x"}});
  return plan.actions;
}

// What the API server would show after the Apply.
void store(Observed& observed, const Action& action) {
  const Apply& done = std::get<Apply>(action);
  Json document = done.object.json();
  document["metadata"]["uid"] = "u";
  document["metadata"]["resourceVersion"] = "5";
  observed.objects.insert_or_assign(done.ref, kube::Object(std::move(document)));
}

TEST_CASE("what is absent is applied without a UID, what is there with its own") {
  Observed observed = test::bare("version: '16'");
  const auto first = actions_for(observed, wanted(observed));
  REQUIRE(first.size() == 1);
  CHECK(describe(first[0]) == "create configmaps shop/my-db-x");
  CHECK(std::get<Apply>(first[0]).uid.empty());
  store(observed, first[0]);
  CHECK(actions_for(observed, wanted(observed)).empty());

  const auto changed = actions_for(observed, wanted(observed, {{"key", "other"}}));
  REQUIRE(changed.size() == 1);
  CHECK(describe(changed[0]) == "apply configmaps shop/my-db-x");
  CHECK(std::get<Apply>(changed[0]).uid == "u");
  CHECK(std::get<Apply>(changed[0]).object.uid() == "u");
}

TEST_CASE("a field that is no longer wanted makes a write, though the object has all that is") {
  Observed observed = test::bare("version: '16'");
  store(observed, actions_for(observed, wanted(observed, {{"a", "1"}, {"b", "2"}}))[0]);
  CHECK(actions_for(observed, wanted(observed, {{"a", "1"}})).size() == 1);
}

TEST_CASE("a skeleton carries the labels, and the owner only where it is owned") {
  const Observed observed = test::bare("version: '16'");
  const Json owned = skeleton(observed, kube::kServices, "my-db-rw", Owned::kYes);
  CHECK(owned["kind"] == "Service");
  CHECK(owned["metadata"]["namespace"] == "shop");
  CHECK(owned["metadata"]["labels"][std::string(kClusterLabel)] == "my-db");
  CHECK(kube::Object(owned).controller_uid() == "uid-of-cluster");
  CHECK_FALSE(
      skeleton(observed, kube::kServices, "x", Owned::kNo)["metadata"].contains("ownerReferences"));
}

}  // namespace
}  // namespace pgc::reconcile
