#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using test::bare;
using test::lines;
using test::plan_of;

using Texts = std::vector<std::string>;

template <typename Kind>
const Kind* find(const Plan& plan, const std::string& name) {
  for (const Action& action : plan.actions) {
    const auto* found = std::get_if<Kind>(&action);
    if (found != nullptr && found->secret.name == name) return found;
  }
  return nullptr;
}

TEST_CASE("a Secret that is there stays, one that is missing is made") {
  Observed observed = bare("version: '16'");
  observed.secrets = {"my-db-superuser", "my-db-rewind", "my-db-app", "my-db-ca"};
  CHECK(lines(plan_of(observed), "generate ") ==
        Texts{"password secrets shop/my-db-replication",
              "server certificate secrets shop/my-db-server-tls"});
}

TEST_CASE("a server without TLS gets no certificates") {
  for (const std::string& line : lines(plan_of(bare("{version: '17', tls: {mode: Prefer}}")))) {
    CHECK(line.find("certificate") == std::string::npos);
  }
}

TEST_CASE("an application finds all it needs to connect in one Secret") {
  const Plan plan = plan_of(bare("version: '16'"));
  const auto* app = find<GeneratePassword>(plan, "my-db-app");
  REQUIRE(app != nullptr);
  const kube::Json& secret = app->skeleton.json();
  CHECK(secret["type"] == "kubernetes.io/basic-auth");
  CHECK(secret["stringData"] ==
        kube::Json::parse(R"({"username": "app", "user": "app", "dbname": "app", "port": "5432",
                              "host": "my-db-rw.shop.svc"})"));
}

TEST_CASE("passwords outlive the cluster as its volumes do, certificates do not") {
  const Plan plan = plan_of(bare("version: '16'"));
  for (const char* name : {"my-db-superuser", "my-db-replication", "my-db-rewind", "my-db-app"}) {
    const auto* password = find<GeneratePassword>(plan, name);
    REQUIRE(password != nullptr);
    CHECK(password->skeleton.controller_uid().empty());
    CHECK(password->skeleton.label("db.example.com/cluster") == "my-db");
  }
  CHECK(find<GenerateAuthority>(plan, "my-db-ca")->skeleton.controller_uid() == "uid-of-cluster");
}

TEST_CASE("the server's certificate names every way to reach it") {
  const Plan plan = plan_of(bare("version: '16'"));
  const auto* server = find<GenerateServerCertificate>(plan, "my-db-server-tls");
  REQUIRE(server != nullptr);
  CHECK(server->authority == "my-db-ca");
  for (const char* name : {"my-db-rw", "my-db-rw.shop.svc", "my-db-ro.shop.svc.cluster.local",
                           "*.my-db-pods", "*.my-db-pods.shop.svc.cluster.local"}) {
    CAPTURE(name);
    CHECK(std::ranges::find(server->dns_names, name) != server->dns_names.end());
  }
}

// What the core cannot know it cannot tell.
TEST_CASE("no action carries a secret byte") {
  const Plan plan = plan_of(bare("version: '16'"));
  for (const Action& action : plan.actions) {
    const auto* made = std::get_if<GeneratePassword>(&action);
    if (made == nullptr) continue;
    CHECK_FALSE(made->skeleton.json().contains("data"));
    CHECK_FALSE(made->skeleton.json()["stringData"].contains("password"));
  }
  for (const char* name : {"my-db-ca", "my-db-server-tls"}) {
    const auto* authority = find<GenerateAuthority>(plan, name);
    const auto* server = find<GenerateServerCertificate>(plan, name);
    const kube::Json& json = authority ? authority->skeleton.json() : server->skeleton.json();
    CHECK_FALSE(json.contains("data"));
    CHECK_FALSE(json.contains("stringData"));
  }
}

}  // namespace
}  // namespace pgc::reconcile
