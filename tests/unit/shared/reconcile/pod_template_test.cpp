#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;

Json template_of(const char* spec) {
  const Plan plan = test::plan_of(test::bare(spec));
  const kube::Object* set = test::applied(plan, kube::kStatefulSets, "my-db-1");
  REQUIRE(set != nullptr);
  return set->json()["spec"]["template"];
}

const char* const kPlain = "version: '16'";

std::string inputs_of(const char* spec) {
  return template_of(spec)["metadata"]["annotations"][std::string(kInputsAnnotation)];
}

TEST_CASE("a member is PostgreSQL with the agent beside it, both locked down") {
  const Json pod = template_of(kPlain)["spec"];
  REQUIRE(pod["containers"].size() == 2);
  CHECK(pod["containers"][0]["image"] == "postgres:16");
  CHECK(pod["containers"][1]["image"] == "agent:1");
  for (const Json& container : pod["containers"]) {
    CHECK(container["securityContext"] ==
          Json::parse(R"({"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
                          "capabilities": {"drop": ["ALL"]}})"));
  }
  CHECK(pod["securityContext"]["runAsNonRoot"] == true);
  CHECK(pod["serviceAccountName"] == "my-db-instance");
}

TEST_CASE("passwords come from Secrets by name") {
  int passwords = 0;
  const Json pod = template_of(kPlain);
  for (const Json& variable : pod["spec"]["containers"][0]["env"]) {
    if (variable["name"].get<std::string>().find("PASSWORD") == std::string::npos) continue;
    CHECK_FALSE(variable.contains("value"));
    CHECK(variable["valueFrom"]["secretKeyRef"]["key"] == "password");
    ++passwords;
  }
  CHECK(passwords == 4);
}

TEST_CASE("every volume that is mounted is there, with and without TLS") {
  for (const char* spec : {kPlain, "{version: '17', tls: {mode: Prefer}}"}) {
    const Json pod = template_of(spec)["spec"];
    std::set<std::string> volumes;
    for (const Json& volume : pod["volumes"]) volumes.insert(volume["name"]);
    CHECK(volumes.contains("tls") == (spec == kPlain));
    for (const Json& container : pod["containers"]) {
      for (const Json& mount : container["volumeMounts"]) {
        CHECK(volumes.contains(mount["name"].get<std::string>()));
      }
    }
  }
}

TEST_CASE("resources are those of the spec, as the API server stores them") {
  CHECK_FALSE(template_of(kPlain)["spec"]["containers"][0].contains("resources"));
  CHECK(
      template_of("{version: '16', resources: {requests: {cpu: '0.5'}, limits: {memory: 1024Mi}}}")
          ["spec"]["containers"][0]["resources"] ==
      Json::parse(R"({"requests": {"cpu": "500m"}, "limits": {"memory": "1Gi"}})"));
}

TEST_CASE("the hash of the inputs moves with what needs a restart, and with nothing else") {
  const std::string plain = inputs_of(kPlain);
  CHECK(inputs_of("{version: '16', replicas: 5}") == plain);
  CHECK(inputs_of("{version: '16', postgresql: {parameters: {work_mem: 8MB}}}") == plain);
  CHECK(inputs_of("{version: '16', storage: {size: 20Gi}}") == plain);
  CHECK(inputs_of("{version: '16', resources: {requests: {cpu: 1}}}") != plain);
  CHECK(inputs_of("{version: '17', tls: {mode: Prefer}}") != plain);
  CHECK(inputs_of("{version: '16', resources: {requests: {cpu: '0.5'}}}") ==
        inputs_of("{version: '16', resources: {requests: {cpu: 500m}}}"));
}

// A promise to later versions: another hash for these inputs would restart every database.
TEST_CASE("the hash of the inputs is what it always was") {
  CHECK(inputs_of(kPlain) == "v1-bbab85c6bf6f5360");
}

}  // namespace
}  // namespace pgc::reconcile
