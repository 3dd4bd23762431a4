#include "shared/kube/exec_plugin.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/kube/config.h"

namespace pgc::kube {
namespace {

using Json = nlohmann::json;

ExecPlugin plugin() {
  ExecPlugin made;
  made.api_version = "client.authentication.k8s.io/v1";
  made.command = "get-token";
  return made;
}

std::string answer(const std::string& status) {
  return R"({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": )" +
         status + "}";
}

TEST_CASE("an exec plugin is told of the cluster only if it is to be") {
  Config config;
  config.server = "https://db.example.com:6443";
  config.ca_pem = "authority";
  config.tls_server_name = "other";
  CHECK(Json::parse(exec_info(plugin(), config, true)) ==
        Json::parse(R"({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                        "spec": {"interactive": true}})"));
  ExecPlugin curious = plugin();
  curious.provide_cluster_info = true;
  curious.cluster_config = R"({"audience": "x"})";
  config.proxy_url = "http://proxy";
  CHECK(Json::parse(exec_info(curious, config, false)) ==
        Json::parse(R"({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                        "spec": {"interactive": false, "cluster": {
                          "server": "https://db.example.com:6443", "tls-server-name": "other",
                          "proxy-url": "http://proxy", "config": {"audience": "x"},
                          "certificate-authority-data": "YXV0aG9yaXR5"}}})"));
}

TEST_CASE("what an exec plugin prints is a credential") {
  const auto token = parse_credential(
      plugin(), answer(R"({"token": "t", "expirationTimestamp": "2026-01-31T12:00:00Z"})"));
  REQUIRE(token);
  CHECK(token->token == "t");
  CHECK(token->expires == std::chrono::sys_seconds(std::chrono::seconds(1'769'860'800)));
  const auto pair =
      parse_credential(plugin(), answer(R"({"clientCertificateData": "c", "clientKeyData": "k"})"));
  REQUIRE(pair);
  CHECK(pair->certificate_pem == "c");
  CHECK(pair->key_pem == "k");
  CHECK_FALSE(pair->expires);
}

TEST_CASE("what an exec plugin prints wrongly is refused, and never quoted") {
  struct Case {
    std::string output;
    std::string message;
  };
  const Case cases[] = {
      {"", "exec: what get-token printed is no ExecCredential in JSON"},
      {"s3cret", "exec: what get-token printed is no ExecCredential in JSON"},
      {R"({"kind": "Secret"})", "exec: what get-token printed is no ExecCredential in JSON"},
      {R"({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1"})",
       "exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin "
       "returned version client.authentication.k8s.io/v1beta1"},
      {answer("null"), "exec plugin didn't return a status field"},
      {answer("{}"), "exec plugin didn't return a token or cert/key pair"},
      {answer(R"({"clientCertificateData": "s3cret"})"),
       "exec plugin returned only certificate or key, not both"},
      {answer(R"({"token": "s3cret", "expirationTimestamp": "soon"})"),
       "exec plugin returned an expirationTimestamp that is no RFC 3339 time"},
  };
  for (const Case& c : cases) {
    INFO(c.output);
    const auto credential = parse_credential(plugin(), c.output);
    REQUIRE_FALSE(credential);
    CHECK(credential.error().is(ErrorKind::kConfiguration));
    CHECK(credential.error().message == c.message);
  }
}

TEST_CASE("an install hint stays on its line") {
  CHECK(hint_of(plugin()).empty());
  ExecPlugin hinting = plugin();
  hinting.install_hint = "get it\nfrom \x1b[31mthere";
  CHECK(hint_of(hinting) == "; get it from  [31mthere");
}

}  // namespace
}  // namespace pgc::kube
