#include "shared/reconcile/plan.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/api_defaults.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;
using kube::ObjectRef;
using test::bare;
using test::lines;
using test::plan_of;

using Texts = std::vector<std::string>;

const char* const kThree = "{replicas: 3, version: '16'}";

const std::string kAddFinalizer =
    "patch postgresclusters.db.example.com shop/my-db: Patroni's objects need removal in the end";

TEST_CASE("the plan of a fresh cluster, in this order") {
  Observed observed = bare(kThree);
  Json document = observed.resource.json();
  document["metadata"].erase("finalizers");
  observed.resource = kube::Object(document);
  CHECK(lines(plan_of(observed)) ==
        Texts{kAddFinalizer,
              "create serviceaccounts shop/my-db-instance",
              "create roles.rbac.authorization.k8s.io shop/my-db-instance",
              "create rolebindings.rbac.authorization.k8s.io shop/my-db-instance",
              "generate password secrets shop/my-db-superuser",
              "generate password secrets shop/my-db-replication",
              "generate password secrets shop/my-db-rewind",
              "generate password secrets shop/my-db-app",
              "generate certificate authority secrets shop/my-db-ca",
              "generate server certificate secrets shop/my-db-server-tls",
              "create services shop/my-db-rw",
              "create services shop/my-db-ro",
              "create services shop/my-db-pods",
              "create configmaps shop/my-db-patroni",
              "create persistentvolumeclaims shop/my-db-1-pgdata",
              "create statefulsets.apps shop/my-db-1",
              "create persistentvolumeclaims shop/my-db-2-pgdata",
              "create statefulsets.apps shop/my-db-2",
              "create persistentvolumeclaims shop/my-db-3-pgdata",
              "create statefulsets.apps shop/my-db-3",
              "create poddisruptionbudgets.policy shop/my-db"});
}

// Puts into the observation what the API server would hold after the plan.
void enact(Observed& observed, const Plan& plan) {
  for (const Action& action : plan.actions) {
    const auto* apply = std::get_if<Apply>(&action);
    if (apply == nullptr) continue;
    Json document = apply->object.json();
    document["metadata"]["uid"] = "uid-" + apply->ref.name;
    document["metadata"]["resourceVersion"] = "7";
    test::set_api_defaults(apply->ref.type, document);
    observed.objects.insert_or_assign(apply->ref, kube::Object(document));
  }
  observed.secrets = {"my-db-superuser", "my-db-replication", "my-db-rewind",
                      "my-db-app",       "my-db-ca",          "my-db-server-tls"};
  if (!plan.status) return;
  Json document = observed.resource.json();
  document["status"] = plan.status->json()["status"];
  observed.resource = kube::Object(document);
}

// A cluster of which everything stands as wanted, without pods.
Observed converged(const char* spec) {
  Observed observed = bare(spec);
  enact(observed, plan_of(observed));
  enact(observed, plan_of(observed));  // the status counts the StatefulSets
  return observed;
}

void check_empty(const Plan& plan) {
  CHECK(lines(plan) == Texts{});
  CHECK_FALSE(plan.status);
  CHECK(plan.events.empty());
  CHECK_FALSE(plan.look_again);
}

// Amounts that the API server rewrites.
const char* const kOddAmounts =
    "{version: '16', resources: {requests: {cpu: '0.5', memory: 1024Mi}, "
    "limits: {cpu: 1, memory: 1.5Gi}}}";

TEST_CASE("a converged cluster gets an empty plan, whatever the API server has added") {
  for (const char* spec : {
           kThree,
           "{replicas: 1, version: '17', tls: {mode: Prefer}}",
           kOddAmounts,
           "{version: '16', storage: {size: 2048Mi, storageClass: fast}}",
           "{version: '16', postgresql: {parameters: {max_connections: 200, work_mem: 4MB}}}",
       }) {
    CAPTURE(spec);
    check_empty(plan_of(converged(spec)));
  }
}

struct Drift {
  const char* what;
  ObjectRef ref;
  Json change;  // RFC 7396
};

const ObjectRef kSet{kube::kStatefulSets, "shop", "my-db-2"};
const ObjectRef kService{kube::kServices, "shop", "my-db-rw"};

TEST_CASE("a field that somebody changed or removed is put back, with that one write") {
  for (const Drift& c : {
           Drift{"replicas", kSet, {{"spec", {{"replicas", 0}}}}},
           Drift{"a selector",
                 kService,
                 {{"spec", {{"selector", {{"db.example.com/role", "replica"}}}}}}},
           Drift{"a label",
                 kService,
                 {{"metadata", {{"labels", {{"app.kubernetes.io/name", nullptr}}}}}}},
           Drift{"ports", kService, {{"spec", {{"ports", Json::array()}}}}},
           Drift{"the owner", kService, {{"metadata", {{"ownerReferences", nullptr}}}}},
           Drift{"a volume", kSet, {{"spec", {{"template", {{"spec", {{"volumes", nullptr}}}}}}}}},
           Drift{"our note of the intent", kSet, {{"metadata", {{"annotations", nullptr}}}}},
           Drift{"a right", {kube::kRoles, "shop", "my-db-instance"}, {{"rules", Json::array()}}},
           Drift{"the configuration",
                 {kube::kConfigMaps, "shop", "my-db-patroni"},
                 {{"data", {{"patroni.yaml", ""}}}}},
       }) {
    CAPTURE(c.what);
    Observed observed = converged(kThree);
    Json document = observed.objects.at(c.ref).json();
    document.merge_patch(c.change);
    observed.objects.insert_or_assign(c.ref, kube::Object(document));
    const Plan repair = plan_of(observed);
    CHECK(lines(repair) == Texts{"apply " + c.ref.to_string()});
    CHECK(std::get<Apply>(repair.actions.at(0)).uid == "uid-" + c.ref.name);
    enact(observed, repair);
    check_empty(plan_of(observed));
  }
}

TEST_CASE("what others add to our objects is theirs") {
  for (const Drift& c : {
           Drift{"an annotation", kService, {{"metadata", {{"annotations", {{"team", "a"}}}}}}},
           Drift{"a label", kSet, {{"metadata", {{"labels", {{"team", "a"}}}}}}},
           Drift{"a field", kService, {{"spec", {{"trafficDistribution", "PreferClose"}}}}},
           Drift{"a key", {kube::kConfigMaps, "shop", "my-db-patroni"}, {{"data", {{"x", "y"}}}}},
       }) {
    CAPTURE(c.what);
    Observed observed = converged(kThree);
    Json document = observed.objects.at(c.ref).json();
    document.merge_patch(c.change);
    observed.objects.insert_or_assign(c.ref, kube::Object(document));
    check_empty(plan_of(observed));
  }
}

TEST_CASE("an object that somebody deleted is made again, and nothing else is touched") {
  const Observed whole = converged(kThree);
  for (const auto& [ref, object] : whole.objects) {
    CAPTURE(ref.to_string());
    Observed observed = whole;
    observed.objects.erase(ref);
    CHECK(lines(plan_of(observed)) == Texts{"create " + ref.to_string()});
  }
}

// The same spec but for one field.
TEST_CASE("what is no longer in the spec is written out of the children") {
  Observed observed = converged("{version: '16', resources: {requests: {cpu: 500m, memory: 1Gi}}}");
  observed.cluster.resources.requests.erase("memory");
  CHECK(lines(plan_of(observed)) == Texts{"apply statefulsets.apps shop/my-db-1"});
}

TEST_CASE("more members is a few new objects, and changes no member that is there") {
  Observed observed = converged(kThree);
  observed.cluster.replicas = 4;
  CHECK(lines(plan_of(observed)) == Texts{"create persistentvolumeclaims shop/my-db-4-pgdata",
                                          "create statefulsets.apps shop/my-db-4",
                                          "apply poddisruptionbudgets.policy shop/my-db"});
}

TEST_CASE("a parameter changes the configuration and no pod") {
  Observed observed = converged(kThree);
  observed.cluster.parameters["work_mem"] = "8MB";
  CHECK(lines(plan_of(observed)) == Texts{"apply configmaps shop/my-db-patroni"});
}

TEST_CASE("the same observation makes the same plan") {
  for (const Observed& observed : {bare(kThree), converged(kThree)}) {
    const Plan first = plan_of(observed);
    const Plan second = plan_of(observed);
    CHECK(lines(first) == lines(second));
    CHECK(first.events == second.events);
    REQUIRE(first.actions.size() == second.actions.size());
    for (std::size_t i = 0; i < first.actions.size(); ++i) {
      const auto* a = std::get_if<Apply>(&first.actions[i]);
      if (a != nullptr) CHECK(a->object.json() == std::get<Apply>(second.actions[i]).object.json());
    }
  }
}

// What a plan says when the installation can't give what the cluster wants.
std::string refusal(const char* spec, const Settings& settings) {
  const Plan refused = plan(bare(spec), settings, test::noon());
  CHECK(refused.actions.empty());
  REQUIRE(refused.status);
  const Json& status = refused.status->json()["status"];
  CHECK(status["phase"] == "NotAvailable");
  return status["conditions"][0]["message"];
}

TEST_CASE("a version without an image is refused, with what would help") {
  CHECK(refusal("version: '16'", {}) ==
        "this installation has no image for PostgreSQL 16; add it to images in the operator's "
        "settings");
}

TEST_CASE("required TLS is refused where the image has none, and preferred TLS is not") {
  const std::string message = refusal("{version: '17', tls: {mode: Require}}", test::settings());
  CHECK(message.find("TLS is required, but the image of PostgreSQL 17 (postgres:17)") == 0);
  CHECK(message.find("spec.tls.mode to Prefer") != std::string::npos);
  CHECK(refusal("version: '17'", test::settings()) == message);  // the installation requires it
  CHECK_FALSE(plan_of(bare("{version: '17', tls: {mode: Prefer}}")).actions.empty());
}

// The data of a cluster whose status says 16.
Observed with_data_of_16(const char* spec) {
  Observed observed = test::drawn(spec, "my-db-1 primary running leader");
  Json document = observed.resource.json();
  document["status"]["version"] = "16";
  observed.resource = kube::Object(document);
  return observed;
}

TEST_CASE("data of one major is not given to another") {
  const Plan refused = plan_of(with_data_of_16("{version: '17', tls: {mode: Prefer}}"));
  CHECK(refused.actions.empty());
  REQUIRE(refused.status);
  CHECK(refused.status->json()["status"]["phase"] == "UpgradeNotAvailable");
  CHECK(refused.status->json()["status"]["version"] == "16");
  CHECK_FALSE(plan_of(with_data_of_16("version: '16'")).actions.empty());
}

TEST_CASE("a major that the data is not of is said first, whatever else is wrong with it") {
  const Plan refused = plan(with_data_of_16("version: '17'"), {}, test::noon());
  REQUIRE(refused.status);
  CHECK(refused.status->json()["status"]["conditions"][0]["message"] ==
        "the data is of PostgreSQL 16, and this version of pgc does not upgrade it; set "
        "spec.version back to \"16\"");
}

// Its pod may be making its data directory at this moment.
TEST_CASE("a member that has just been made keeps its major") {
  const auto status_of_16 = [](Observed observed) {
    Json document = observed.resource.json();
    document["status"]["version"] = "16";
    observed.resource = kube::Object(document);
    return observed;
  };
  const char* wanted = "{version: '17', tls: {mode: Prefer}}";
  Observed begun = status_of_16(test::drawn(wanted, "my-db-1 - - no-pod"));
  begun.objects.erase({kube::kConfigMaps, "shop", "my-db-ha-config"});
  CHECK(plan_of(begun).actions.empty());
  CHECK_FALSE(plan_of(status_of_16(bare(wanted))).actions.empty());
}

TEST_CASE("what a cluster does not say, the installation decides") {
  Settings settings = test::settings();
  settings.storage_class = "fast";
  settings.tls = schema::TlsMode::kPrefer;
  settings.image_pull_policy = "Always";
  const Plan made = plan(bare("version: '17'"), settings, test::noon());
  const auto* claim = test::applied(made, kube::kPersistentVolumeClaims, "my-db-1-pgdata");
  REQUIRE(claim != nullptr);
  CHECK(claim->json()["spec"]["storageClassName"] == "fast");
  const auto* set = test::applied(made, kube::kStatefulSets, "my-db-1");
  REQUIRE(set != nullptr);
  const Json& container = set->json()["spec"]["template"]["spec"]["containers"][0];
  CHECK(container["image"] == "postgres:17");
  CHECK(container["imagePullPolicy"] == "Always");
}

}  // namespace
}  // namespace pgc::reconcile
