#include "shared/kube/credentials.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::kube {
namespace {

using std::chrono::minutes;

const auto kNow = std::chrono::sys_days(std::chrono::January / 31 / 2026) + std::chrono::hours(11);

Config with_plugin() {
  Config config;
  config.exec.emplace();
  config.exec->api_version = "client.authentication.k8s.io/v1";
  config.exec->command = "get-token";
  return config;
}

// A plugin whose tokens are t1, t2, …, each good until noon.
struct Counting {
  int runs = 0;

  Credentials::Run run() {
    return [this](const ExecPlugin&, const std::string&, bool) -> Result<std::string> {
      return R"({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                 "status": {"expirationTimestamp": "2026-01-31T12:00:00Z", "token": "t)" +
             std::to_string(++runs) + "\"}}";
    };
  }
};

TEST_CASE("credentials that are fixed stay") {
  Config config;
  config.token = "t";
  config.client_certificate_pem = "c";
  config.client_key_pem = "k";
  Credentials credentials(config);
  const Credential fixed{.token = "t", .certificate_pem = "c", .key_pem = "k", .expires = {}};
  CHECK(credentials.current(kNow) == fixed);
  credentials.refused(fixed);
  CHECK(credentials.current(kNow) == fixed);
}

TEST_CASE("a credential plugin is asked once, and again when its answer has expired") {
  Counting plugin;
  Credentials credentials(with_plugin(), plugin.run());
  CHECK(credentials.current(kNow)->token == "t1");
  CHECK(credentials.current(kNow + minutes(59))->token == "t1");
  CHECK(credentials.current(kNow + minutes(60))->token == "t2");
  CHECK(plugin.runs == 2);
}

TEST_CASE("a credential plugin is asked again when the server refused its answer") {
  Counting plugin;
  Credentials credentials(with_plugin(), plugin.run());
  const Credential first = *credentials.current(kNow);
  credentials.refused(first);
  CHECK(credentials.current(kNow)->token == "t2");
  credentials.refused(first);  // late news of the old one
  CHECK(credentials.current(kNow)->token == "t2");
}

TEST_CASE("a credential plugin that fails is asked again") {
  int runs = 0;
  Credentials credentials(
      with_plugin(), [&](const ExecPlugin&, const std::string&, bool) -> Result<std::string> {
        ++runs;
        return std::unexpected(Error{.kind = ErrorKind::kConfiguration, .message = "no"});
      });
  CHECK(credentials.current(kNow).error().message == "no");
  CHECK_FALSE(credentials.current(kNow));
  CHECK(runs == 2);
}

}  // namespace
}  // namespace pgc::kube
