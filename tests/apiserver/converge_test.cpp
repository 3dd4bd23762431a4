// The plan and the executor against a real API server: what they write is accepted, and what the
// server adds to it or rewrites is not taken for drift. No controller runs here, so there are no
// pods.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "operator/execute.h"
#include "shared/observe/observe.h"
#include "shared/schema/structural/yaml.h"
#include "tests/apiserver/webhook_support.h"

namespace pgc {
namespace {

using kube::Json;
using kube::Object;
using Texts = std::vector<std::string>;

const std::string kNs = "converge-test";
const std::chrono::sys_seconds kNow{std::chrono::seconds(1'800'000'000)};

class Cluster {
 public:
  explicit Cluster(const std::string& name) : name_(name) {
    webhook::testing::install_crd(*client_);
    (void)client_->create(webhook::testing::kNamespaces, "",
                          Object(Json{{"metadata", {{"name", kNs}}}}), {});
  }

  void apply(const std::string& spec) {
    const Json document = {{"apiVersion", "db.example.com/v1"},
                           {"kind", "PostgresCluster"},
                           {"metadata", {{"name", name_}, {"namespace", kNs}}},
                           {"spec", schema::parse_yaml(spec).value().at(0).value}};
    const auto applied =
        client_->patch({kube::kPostgresClusters, kNs, name_}, kube::PatchType::kApply, document,
                       {.field_manager = "test", .force = true});
    INFO((applied ? "" : applied.error().message));
    REQUIRE(applied);
  }

  // One turn of the operator's loop; what it did.
  Texts turn() {
    const auto observed = observe::observe(*client_, *client_, kNs, name_);
    INFO((observed ? "" : observed.error().message));
    REQUIRE(observed);
    const reconcile::Plan plan = reconcile::plan(*observed, settings(), kNow);
    Texts did;
    for (const auto& action : plan.actions) {
      const auto* apply = std::get_if<reconcile::Apply>(&action);
      did.push_back(reconcile::describe(action) + (apply != nullptr ? ": " + apply->why : ""));
    }
    if (plan.status) did.push_back("status");
    const auto result = executor_.run(plan.actions, kNow);
    CHECK((result ? "" : result.error().message) == std::string());
    if (plan.status) CHECK(executor_.write_status(*plan.status));
    return did;
  }

 private:
  static reconcile::Settings settings() {
    return {.images = {{16, {.image = "postgres:16", .tls = true}},
                       {17, {.image = "postgres:17", .tls = false}}},
            .agent_image = "agent:1",
            .storage_class = {}};
  }

  const std::string name_;
  std::unique_ptr<kube::Client> client_ =
      webhook::testing::connect(webhook::testing::cluster_config());
  Log log_{[](const std::string&) {}};
  Executor executor_{*client_, *client_, log_};
};

TEST_CASE("whatever the API server makes of our objects, the third turn has nothing to do",
          "[converge]") {
  struct Case {
    const char* name;
    const char* spec;
  };
  for (const Case& c : {
           Case{"plain", "{replicas: 3, version: '16'}"},
           Case{"single", "{version: '17', tls: {mode: Prefer}}"},
           Case{"quantities",
                "{version: '16', storage: {size: 2048Mi, storageClass: fast}, "
                "resources: {requests: {cpu: '0.5', memory: 1024Mi}, limits: {cpu: 1, memory: "
                "1.5Gi}}}"},
           Case{"parameters", "{version: '16', postgresql: {parameters: {max_connections: 200}}}"},
       }) {
    CAPTURE(c.name);
    Cluster cluster(c.name);
    cluster.apply(c.spec);
    cluster.turn();
    cluster.turn();  // the status of what the first one has made
    CHECK(cluster.turn() == Texts{});
  }
}

TEST_CASE("a changed spec is written into the children, and then they rest again", "[converge]") {
  Cluster cluster("changing");
  cluster.apply("{replicas: 2, version: '16', resources: {requests: {cpu: 1, memory: 1Gi}}}");
  cluster.turn();
  cluster.turn();
  cluster.apply("{replicas: 1, version: '16', resources: {requests: {cpu: 1}}}");
  CHECK_FALSE(cluster.turn().empty());
  cluster.turn();
  CHECK(cluster.turn() == Texts{});
}

}  // namespace
}  // namespace pgc
