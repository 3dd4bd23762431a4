#include "operator/execute.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/x509/base64.h"
#include "shared/x509/x509.h"
#include "tests/support/api_server.h"
#include "tests/support/faulty_client.h"
#include "tests/support/view.h"

namespace pgc {
namespace {

using kube::ErrorKind;
using kube::Json;
using kube::Object;
using kube::ObjectRef;
using Texts = std::vector<std::string>;

const ObjectRef kService{kube::kServices, "shop", "my-db-rw"};
const ObjectRef kApp{kube::kSecrets, "shop", "my-db-app"};
const ObjectRef kCa{kube::kSecrets, "shop", "my-db-ca"};
const ObjectRef kServer{kube::kSecrets, "shop", "my-db-server-tls"};
const std::chrono::sys_seconds kNow{std::chrono::seconds(1'769'860'800)};

// A Service of the cluster with this UID as its owner.
Json service(const std::string& owner = "cluster") {
  return {
      {"metadata",
       {{"name", "my-db-rw"},
        {"namespace", "shop"},
        {"labels", {{"app.kubernetes.io/managed-by", "pgc"}, {"db.example.com/cluster", "my-db"}}},
        {"ownerReferences", Json::array({{{"uid", owner}, {"controller", true}}})}}},
      {"spec", {{"type", "ClusterIP"}}}};
}

reconcile::Apply apply(const std::string& uid = "") {
  Json wanted = service();
  if (!uid.empty()) wanted["metadata"]["uid"] = uid;
  return {.ref = kService, .object = Object(wanted), .uid = uid};
}

Object skeleton(const ObjectRef& ref) {
  return Object(Json{{"metadata", {{"name", ref.name}, {"namespace", ref.ns}}}});
}

reconcile::GeneratePassword password() {
  return {.secret = kApp, .skeleton = skeleton(kApp)};
}

struct Fixture {
  test::ApiServer server;
  Texts logged;
  Log log{[this](const std::string& line) { logged.push_back(line); }};
  Executor executor{server, server, log};

  kube::Result<void> run(const std::vector<reconcile::Action>& actions) {
    return executor.run(actions, kNow);
  }
  std::string value(const ObjectRef& ref, std::string_view key) {
    return x509::from_base64(kube::string_at(server.get(ref)->json(), {"data", key})).value();
  }
};

TEST_CASE("actions are done in order, and each is logged") {
  Fixture f;
  REQUIRE(f.run({password(), apply()}));
  CHECK(f.server.writes == Texts{"create secrets shop/my-db-app", "create services shop/my-db-rw"});
  CHECK(f.logged.size() == 2);
}

TEST_CASE("a failure ends the execution, and what comes after it is not done") {
  Fixture f;
  f.server.fault = [](const std::string& write) -> std::optional<kube::Error> {
    if (write != "patch services shop/my-db-rw") return std::nullopt;
    return kube::Error{.kind = ErrorKind::kForbidden, .message = "no"};
  };
  const auto result = f.run({apply(), password()});
  REQUIRE_FALSE(result);
  CHECK(result.error().is(ErrorKind::kForbidden));
  CHECK(f.server.writes.empty());
}

TEST_CASE("a generated Secret that is there already stays as it is") {
  Fixture f;
  REQUIRE(f.run({password()}));
  const std::string first = f.value(kApp, "password");
  CHECK(first.size() == 32);
  CHECK(f.run({password()}));
  CHECK(f.value(kApp, "password") == first);
}

TEST_CASE("a password is in its Secret and nowhere in the log") {
  Fixture f;
  REQUIRE(f.run({password()}));
  for (const std::string& line : f.logged) {
    CHECK(line.find(f.value(kApp, "password")) == std::string::npos);
  }
}

reconcile::GenerateAuthority authority() {
  return {.secret = kCa,
          .skeleton = skeleton(kCa),
          .common_name = "my-db CA",
          .validity = std::chrono::hours(1000)};
}

reconcile::GenerateServerCertificate server_certificate() {
  return {.secret = kServer,
          .skeleton = skeleton(kServer),
          .authority = "my-db-ca",
          .common_name = "my-db-rw",
          .dns_names = {"my-db-rw", "*.my-db-pods"},
          .validity = std::chrono::hours(100)};
}

TEST_CASE("the server's certificate is signed by the cluster's authority") {
  Fixture f;
  REQUIRE(f.run({authority(), server_certificate()}));
  const std::string ca = f.value(kCa, "tls.crt");
  const auto facts = x509::parse(f.value(kServer, "tls.crt"));
  REQUIRE(facts);
  CHECK(facts->dns_names == Texts{"my-db-rw", "*.my-db-pods"});
  CHECK(facts->validity.not_before == kNow - std::chrono::minutes(5));
  CHECK(facts->validity.not_after == kNow + std::chrono::hours(100));
  CHECK(f.value(kServer, "ca.crt") == ca);
  CHECK(x509::verify_pair({f.value(kServer, "tls.crt"), f.value(kServer, "tls.key")}));
  CHECK(kube::string_at(f.server.get(kServer)->json(), {"type"}) == "kubernetes.io/tls");
}

TEST_CASE("without a usable authority there is no server certificate, and no crash") {
  Fixture f;
  CHECK(f.run({server_certificate()}).error().is(ErrorKind::kNotFound));
  for (const char* data : {"{}", R"({"tls.crt": "%%%", "tls.key": "eA=="})"}) {
    f.server.put(kCa, {{"data", Json::parse(data)}});
    CHECK_FALSE(f.run({server_certificate()}));
    CHECK_FALSE(f.server.has(kServer));
  }
}

TEST_CASE("an object of somebody else under our name is left alone") {
  const Json foreign_label = {{"metadata", {{"labels", {{"db.example.com/cluster", "other"}}}}}};
  for (const Json& theirs : {Json::object(), foreign_label, service("another-owner")}) {
    Fixture f;
    f.server.put(kService, theirs);
    const Object before = *f.server.get(kService);
    const auto result = f.run({apply()});
    REQUIRE_FALSE(result);
    CHECK(result.error().is(ErrorKind::kAlreadyExists));
    CHECK(result.error().message.find("services shop/my-db-rw exists and does not belong") == 0);
    CHECK(f.server.get(kService)->json() == before.json());
  }
}

// Found by two leaders at once.
TEST_CASE("an object that somebody makes at the very moment is not taken over") {
  Fixture f;
  f.server.fault = [&](const std::string& write) -> std::optional<kube::Error> {
    if (write == "patch services shop/my-db-rw") f.server.put(kService, Json::object());
    return std::nullopt;
  };
  const auto result = f.run({apply()});
  REQUIRE_FALSE(result);
  CHECK(result.error().is(ErrorKind::kAlreadyExists));
  CHECK(f.server.get(kService)->label("db.example.com/cluster").empty());
}

TEST_CASE("an object of ours that the observation had missed is applied to") {
  Fixture f;
  f.server.put(kService, service());
  CHECK(f.run({apply()}));
}

// The name is given to another object as soon as somebody has looked.
class FickleServer : public test::ApiServer {
 public:
  kube::Result<Object> get(const ObjectRef& ref) override {
    auto live = ApiServer::get(ref);
    if (!replaced_ && live) {
      replaced_ = true;
      erase(ref);
      put(ref, service("another-cluster"));
    }
    return live;
  }

 private:
  bool replaced_ = false;
};

TEST_CASE("what was looked at and became another object before it was written is not touched") {
  FickleServer server;
  const Log log([](const std::string&) {});
  server.put(kService, service());
  const auto result = Executor(server, server, log).run({apply()}, kNow);
  REQUIRE_FALSE(result);
  CHECK(result.error().is(ErrorKind::kConflict));
  CHECK(server.get(kService)->controller_uid() == "another-cluster");
}

TEST_CASE("an object that has lost our labels is still its owner's, and gets them back") {
  Fixture f;
  Json bare = service();
  bare["metadata"].erase("labels");
  f.server.put(kService, bare);
  CHECK(f.run({apply()}));
  CHECK(f.server.get(kService)->label("db.example.com/cluster") == "my-db");
}

TEST_CASE("an object that was replaced by another one since is not touched") {
  Fixture f;
  f.server.put(kService, service());
  const auto result = f.run({apply("uid-of-old")});
  REQUIRE_FALSE(result);
  CHECK(result.error().is(ErrorKind::kConflict));
  CHECK(result.error().retryable());
  CHECK(f.run({apply(std::string(f.server.get(kService)->uid()))}));
}

reconcile::Patch patch(const std::string& resource_version) {
  return {
      .ref = kService,
      .operations = Object(Json{
          {"patch",
           {{{"op", "replace"}, {"path", "/metadata/resourceVersion"}, {"value", resource_version}},
            {{"op", "add"}, {"path", "/metadata/annotations"}, {"value", {{"a", "b"}}}}}}}),
      .why = "test"};
}

TEST_CASE("a patch goes through only while the object is the one observed") {
  Fixture f;
  f.server.put(kService, service());
  const std::string version(f.server.get(kService)->resource_version());
  CHECK(f.run({patch(version)}));
  CHECK(f.server.get(kService)->annotation("a") == "b");
  const auto late = f.run({patch(version)});
  REQUIRE_FALSE(late);
  CHECK(late.error().is(ErrorKind::kConflict));
}

TEST_CASE("a delete is fine with what is gone, and stops at what has become another") {
  Fixture f;
  const reconcile::Delete gone{.ref = kService, .uid = "u", .resource_version = {}, .why = "test"};
  CHECK(f.run({gone}));
  f.server.put(kService, service());
  CHECK(f.run({gone}).error().is(ErrorKind::kConflict));
  CHECK(f.server.has(kService));
}

TEST_CASE("the status is written as its own part, and not to a cluster that is gone") {
  Fixture f;
  const ObjectRef cluster{kube::kPostgresClusters, "shop", "my-db"};
  const Object status(Json{{"metadata", {{"name", "my-db"}, {"namespace", "shop"}}},
                           {"spec", {{"replicas", 9}}},
                           {"status", {{"phase", "Ready"}}}});
  CHECK(f.executor.write_status(status));
  CHECK_FALSE(f.server.has(cluster));
  f.server.put(cluster, {{"spec", {{"replicas", 3}}}});
  CHECK(f.executor.write_status(status));
  CHECK(f.server.get(cluster)->json()["spec"]["replicas"] == 3);
  CHECK(f.server.get(cluster)->json()["status"]["phase"] == "Ready");
}

TEST_CASE("the status is not written to a namesake that came after") {
  Fixture f;
  const ObjectRef cluster{kube::kPostgresClusters, "shop", "my-db"};
  f.server.put(cluster, {{"spec", {{"replicas", 3}}}});
  const Object status(Json{{"metadata", {{"name", "my-db"}, {"namespace", "shop"}, {"uid", "old"}}},
                           {"status", {{"phase", "Ready"}}}});
  CHECK(f.executor.write_status(status).error().is(ErrorKind::kConflict));
  CHECK_FALSE(f.server.get(cluster)->json().contains("status"));
}

TEST_CASE("the status is written on what is known, and where that is behind on what there is") {
  Fixture f;
  const ObjectRef cluster{kube::kPostgresClusters, "shop", "my-db"};
  f.server.put(cluster, {{"spec", {{"replicas", 3}}}});
  test::View known(f.server);
  known.catch_up();
  test::FaultyClient client(f.server);
  int reads = 0;
  client.before = [&](const test::FaultyClient::Call& call) { reads += call.writes() ? 0 : 1; };
  Executor executor(client, known, f.log);
  const Object status(
      Json{{"metadata",
            {{"name", "my-db"}, {"namespace", "shop"}, {"uid", f.server.get(cluster)->uid()}}},
           {"status", {{"phase", "Ready"}}}});
  SECTION("known") {
    CHECK(executor.write_status(status));
    CHECK(reads == 0);
  }
  SECTION("behind") {
    f.server.change(cluster, {{"spec", {{"replicas", 5}}}});
    CHECK(executor.write_status(status));
    CHECK(reads == 1);
    CHECK(f.server.get(cluster)->json()["spec"]["replicas"] == 5);
  }
  SECTION("another one by now") {
    f.server.erase(cluster);
    f.server.put(cluster, {{"spec", {{"replicas", 5}}}});
    CHECK(executor.write_status(status).error().is(ErrorKind::kConflict));
    CHECK_FALSE(f.server.get(cluster)->json().contains("status"));
    return;
  }
  CHECK(f.server.get(cluster)->json()["status"]["phase"] == "Ready");
}

}  // namespace
}  // namespace pgc
