#include "operator/reconciler.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/api_server.h"
#include "tests/support/drawing.h"
#include "tests/support/faulty_client.h"

namespace pgc {
namespace {

using kube::Json;
using kube::ObjectRef;

const ObjectRef kCluster{kube::kPostgresClusters, "shop", "my-db"};
const ObjectRef kVolume{kube::kPersistentVolumeClaims, "shop", "my-db-1-pgdata"};

Json deleted_cluster(const std::string& uid) {
  Json document = test::resource(
      "{version: '16', storage: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}");
  document["metadata"]["uid"] = uid;
  document["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z";
  document["metadata"]["finalizers"] = {"db.example.com/cleanup"};
  return document;
}

Json volume() {
  return {{"metadata",
           {{"uid", "volume"},
            {"labels",
             {{"app.kubernetes.io/managed-by", "pgc"}, {"db.example.com/cluster", "my-db"}}}}}};
}

// What the operator sees, and what is there.
struct Fixture {
  test::ApiServer seen;
  test::ApiServer there;
  test::FaultyClient client{there};
  Log log{[](const std::string&) {}};
  Reconciler reconciler{seen, seen, client, {.settings = test::settings(), .instance = "pod"}, log};

  Outcome turn() { return reconciler.turn({"shop", "my-db"}, test::noon()); }
};

TEST_CASE("a cluster that is being deleted takes its volumes with it where it says so") {
  Fixture f;
  for (test::ApiServer* server : {&f.seen, &f.there}) {
    server->put(kCluster, deleted_cluster("old"));
    server->put(kVolume, volume());
  }
  CHECK(f.turn().kind == Outcome::Kind::kDone);
  CHECK_FALSE(f.there.has(kVolume));
}

TEST_CASE("who is asked to come later writes no status either") {
  Fixture f;
  for (test::ApiServer* server : {&f.seen, &f.there}) {
    server->put(kCluster, test::resource("{version: '16'}"));
  }
  std::vector<std::string> asked;
  const auto retry_after = GENERATE(std::optional(std::chrono::seconds(3)), std::nullopt);
  f.there.fault = [&](const std::string& write) -> std::optional<kube::Error> {
    asked.push_back(write);
    if (write != "patch services shop/my-db-rw") return std::nullopt;
    return kube::Error{.kind = kube::ErrorKind::kServiceUnavailable, .retry_after = retry_after};
  };
  CHECK(f.turn().kind == Outcome::Kind::kFailed);
  CHECK((asked.back() == "patch services shop/my-db-rw") == retry_after.has_value());
}

TEST_CASE("the volumes of a new cluster are not taken for those of its deleted namesake") {
  Fixture f;
  f.seen.put(kCluster, deleted_cluster("old"));
  f.seen.put(kVolume, volume());
  f.there.put(kVolume, volume());
  Json another = test::resource("{version: '16'}");
  another["metadata"]["uid"] = "new";
  SECTION("that is gone") {
    CHECK(f.turn().kind == Outcome::Kind::kGone);
  }
  SECTION("that is another one now") {
    f.there.put(kCluster, another);
    f.turn();
  }
  SECTION("that becomes another one while everything is read") {
    f.there.put(kCluster, deleted_cluster("old"));
    f.client.before = [&](const test::FaultyClient::Call& call) {
      if (call.verb == "list" && call.ref.type == kVolume.type) f.there.put(kCluster, another);
    };
    const Outcome outcome = f.turn();
    CHECK(outcome.kind == Outcome::Kind::kFailed);
    CHECK(outcome.error->message.ends_with("is not any more what was seen; nothing is deleted"));
  }
  CHECK(f.there.has(kVolume));
}

TEST_CASE("a turn that gets further than the last one is no reason to wait longer") {
  Fixture f;
  f.seen.put(kCluster, test::resource("{version: '16'}"));
  std::string refused = "create services shop/my-db-rw";
  f.there.fault = [&](const std::string& write) -> std::optional<kube::Error> {
    if (!write.ends_with(refused.substr(refused.find(' ')))) return std::nullopt;
    return kube::Error{.kind = kube::ErrorKind::kServerError, .message = "no"};
  };
  CHECK(f.turn().progress);
  CHECK_FALSE(f.turn().progress);
  refused = "create services shop/my-db-ro";
  const Outcome further = f.turn();
  CHECK(further.kind == Outcome::Kind::kFailed);
  CHECK(further.progress);
}

}  // namespace
}  // namespace pgc
