#include "shared/observe/observe.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/api_server.h"
#include "tests/support/drawing.h"

namespace pgc::observe {
namespace {

using kube::ErrorKind;
using kube::Json;
using kube::ObjectRef;

const ObjectRef kCluster{kube::kPostgresClusters, "shop", "my-db"};

// A server whose answer to one kind of read is an error.
class PartlyBroken : public test::ApiServer {
 public:
  std::optional<kube::ResourceType> broken;

  kube::Result<kube::Object> get(const ObjectRef& ref) override {
    if (ref.type == broken) return std::unexpected(kube::Error{.kind = ErrorKind::kServerError});
    return ApiServer::get(ref);
  }
  kube::Result<kube::ObjectList> list(const kube::ResourceType& type,
                                      const kube::ListOptions& options) override {
    if (type == broken) return std::unexpected(kube::Error{.kind = ErrorKind::kServerError});
    return ApiServer::list(type, options);
  }
};

void put(test::ApiServer& server, const kube::ResourceType& type, const std::string& ns,
         const std::string& name, const std::string& cluster) {
  server.put(
      {type, ns, name},
      {{"metadata",
        {{"labels",
          {{"app.kubernetes.io/managed-by", "pgc"}, {"db.example.com/cluster", cluster}}}}}});
}

TEST_CASE("an observation holds the cluster's own objects of every kind, and no others") {
  test::ApiServer server;
  server.put(kCluster, test::resource("{replicas: 3, version: '16'}"));
  for (const kube::ResourceType& type : child_types()) {
    put(server, type, "shop", "mine", "my-db");
    put(server, type, "shop", "other", "my-db-2");
    put(server, type, "bank", "elsewhere", "my-db");
    server.put({type, "shop", "stranger"}, Json::object());
  }
  server.put({kube::kSecrets, "shop", "my-db-app"}, Json::object());
  server.put({kube::kSecrets, "shop", "my-db-unknown"}, Json::object());

  const auto observed = observe(server, server, "shop", "my-db");
  REQUIRE(observed);
  CHECK(observed->cluster.replicas == 3);
  CHECK(observed->cluster.version == 16);
  CHECK(observed->resource.uid() == "uid-of-cluster");
  CHECK(observed->objects.size() == child_types().size());
  for (const auto& [ref, object] : observed->objects) CHECK(ref.name == "mine");
  CHECK(observed->secrets == std::set<std::string>{"my-db-app"});
}

// A cluster of the same name was there before, and the garbage collector has not come yet.
TEST_CASE("what another owner controls is not the cluster's, whatever its labels say") {
  test::ApiServer server;
  server.put(kCluster, test::resource("{replicas: 3, version: '16'}"));
  const auto owned = [&](const kube::ResourceType& type, const std::string& name, const char* uid) {
    put(server, type, "shop", name, "my-db");
    server.change({type, "shop", name},
                  {{"metadata", {{"ownerReferences", {{{"uid", uid}, {"controller", true}}}}}}});
  };
  owned(kube::kStatefulSets, "my-db-1", "uid-of-cluster");
  owned(kube::kStatefulSets, "my-db-2", "uid-of-another");
  owned(kube::kPods, "my-db-2-0", "uid-of-a-set");  // still runs, and counts
  const auto observed = observe(server, server, "shop", "my-db");
  REQUIRE(observed);
  CHECK(observed->find(kube::kStatefulSets, "my-db-1") != nullptr);
  CHECK(observed->find(kube::kStatefulSets, "my-db-2") == nullptr);
  CHECK(observed->find(kube::kPods, "my-db-2-0") != nullptr);
}

TEST_CASE("what could not be read is an error, and never taken for absent") {
  std::vector<kube::ResourceType> types = child_types();
  types.push_back(kube::kSecrets);
  types.push_back(kube::kPostgresClusters);
  for (const kube::ResourceType& type : types) {
    CAPTURE(type.plural);
    PartlyBroken server;
    server.put(kCluster, test::resource("version: '16'"));
    put(server, kube::kServices, "shop", "mine", "my-db");
    server.broken = type;
    const auto observed = observe(server, server, "shop", "my-db");
    REQUIRE_FALSE(observed);
    REQUIRE(observed.error().error);
    CHECK(observed.error().error->is(ErrorKind::kServerError));
    CHECK_FALSE(observed.error().broken);
  }
}

TEST_CASE("the Secrets of a cluster of which nothing has been made are not asked for") {
  PartlyBroken server;
  server.broken = kube::kSecrets;
  Json cluster = test::resource("version: '16'");
  server.put(kCluster, cluster);
  const auto observed = observe(server, server, "shop", "my-db");
  REQUIRE(observed);
  CHECK(observed->secrets.empty());
  cluster["metadata"]["deletionTimestamp"] = "2026-02-01T12:00:00Z";  // or they would stay behind
  server.put(kCluster, cluster);
  CHECK_FALSE(observe(server, server, "shop", "my-db"));
}

TEST_CASE("a cluster that is not there is NotFound") {
  test::ApiServer server;
  CHECK(observe(server, server, "shop", "my-db").error().error->is(ErrorKind::kNotFound));
}

Json broken_rules() {
  return test::resource("{replicas: 17, version: '16'}");
}

TEST_CASE("a stored cluster that breaks a rule is refused with every reason") {
  test::ApiServer server;
  server.put(kCluster, broken_rules());
  const auto observed = observe(server, server, "shop", "my-db");
  REQUIRE_FALSE(observed);
  CHECK_FALSE(observed.error().error);
  REQUIRE(observed.error().broken);
  CHECK(observed.error().broken->cluster.name == "my-db");
  CHECK(observed.error().broken->cluster.generation == 7);
  CHECK(observed.error().message.find("spec.replicas") != std::string::npos);
}

TEST_CASE("a cluster that breaks a rule can still be removed, and keeps its volumes") {
  test::ApiServer server;
  Json document = broken_rules();
  document["metadata"]["deletionTimestamp"] = "2026-01-31T11:59:00Z";
  document["spec"]["storage"]["persistentVolumeClaimRetentionPolicy"]["whenDeleted"] = "Delete";
  server.put(kCluster, document);
  const auto observed = observe(server, server, "shop", "my-db");
  REQUIRE(observed);
  CHECK(observed->resource.being_deleted());
  CHECK(observed->cluster.storage.when_deleted == schema::RetentionPolicy::kRetain);
}

}  // namespace
}  // namespace pgc::observe
