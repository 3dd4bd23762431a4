#include "operator/triggers.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace pgc {
namespace {

using kube::Change;
using kube::Json;
using kube::Object;

const ClusterKey kMyDb{"shop", "my-db"};

Json child(const Json& annotations = Json::object(), const Json& more = Json::object()) {
  Json document = {{"metadata",
                    {{"name", "my-db-1-0"},
                     {"namespace", "shop"},
                     {"resourceVersion", "1"},
                     {"labels", {{"db.example.com/cluster", "my-db"}}},
                     {"annotations", annotations}}}};
  document.merge_patch(more);
  return document;
}

// Both differ in their resourceVersion at least, as they would.
bool wakes(const Json& before, Json after) {
  after["metadata"]["resourceVersion"] = "2";
  after["metadata"]["managedFields"] = Json::array({{{"time", "now"}}});
  return significance(Object(before)) != significance(Object(after));
}

TEST_CASE("what Patroni's heartbeat moves wakes nobody") {
  CHECK_FALSE(wakes(child({{"leader", "my-db-1-0"}, {"renewTime", "1"}, {"optime", "7"}}),
                    child({{"leader", "my-db-1-0"},
                           {"renewTime", "2"},
                           {"optime", "8"},
                           {"slots", "{}"},
                           {"retain_slots", "[]"}})));
  CHECK_FALSE(wakes(child({{"status", R"({"state":"running","xlog_location":1})"}}),
                    child({{"status", R"({"xlog_location":2,"state":"running"})"}})));
}

TEST_CASE("the status of the resource is ours and wakes nobody, that of a pod does") {
  const Json cluster = {{"kind", "PostgresCluster"}};
  CHECK_FALSE(wakes(child({}, cluster), child({}, {{"kind", "PostgresCluster"}, {"status", 1}})));
  CHECK(wakes(child({}, cluster), child({}, {{"kind", "PostgresCluster"}, {"spec", 1}})));
  CHECK(wakes(child({}, {{"kind", "Pod"}}), child({}, {{"kind", "Pod"}, {"status", 1}})));
}

struct Case {
  const char* what;
  Json before;
  Json after;
};

TEST_CASE("what a plan depends on wakes the cluster") {
  const Json role = {{"metadata", {{"labels", {{"db.example.com/role", "primary"}}}}}};
  for (const Case& c : {
           Case{"a role label", child(), child({}, role)},
           Case{"a new leader", child({{"leader", "a"}}), child({{"leader", "b"}})},
           Case{"no leader", child({{"leader", "a"}}), child()},
           Case{"a member's state", child({{"status", R"({"state":"starting"})"}}),
                child({{"status", R"({"state":"running"})"}})},
           Case{"a member's timeline", child({{"status", R"({"timeline":1,"xlog_location":1})"}}),
                child({{"status", R"({"timeline":2,"xlog_location":2})"}})},
           Case{"readiness", child(), child({}, {{"status", {{"conditions", "x"}}}})},
           Case{"a broken status", child({{"status", "{"}}), child({{"status", "{}"}})},
           Case{"a deletion", child(),
                child({}, {{"metadata", {{"deletionTimestamp", "2026-01-31T12:00:00Z"}}}})},
           Case{"the dynamic configuration", child({{"config", "{}"}}), child({{"config", "[]"}})},
       }) {
    CAPTURE(c.what);
    CHECK(wakes(c.before, c.after));
  }
}

using Keys = std::vector<ClusterKey>;

Change change(const std::string& group, const std::string& former = "") {
  return {.kind = Change::Kind::kModified,
          .ns = "shop",
          .name = "my-db",
          .group = group,
          .former_group = former};
}

TEST_CASE("a PostgresCluster is known by its own name, everything else by its label") {
  CHECK(concerned(kube::kPostgresClusters, change("")) == Keys{kMyDb});
  CHECK(concerned(kube::kPods, change("my-db")) == Keys{kMyDb});
  CHECK(concerned(kube::kPods, change("")).empty());
  CHECK(concerned(kube::kPods, Change{}).empty());
}

TEST_CASE("an object that has left one cluster for another one concerns both") {
  CHECK(concerned(kube::kPods, change("my-db", "other")) == Keys{kMyDb, {"shop", "other"}});
  CHECK(concerned(kube::kPods, change("", "other")) == Keys{{"shop", "other"}});
}

}  // namespace
}  // namespace pgc
