#include "shared/kube/credentials.h"

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "shared/kube/pause.h"
#include "tests/support/slowness.h"

namespace pgc::kube {
namespace {

using std::chrono::minutes;

const auto kNow = std::chrono::sys_days(std::chrono::January / 31 / 2026) + std::chrono::hours(11);

const Patience kLong{.until = std::chrono::steady_clock::now() + std::chrono::hours(1)};

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
    return [this](const ExecPlugin&, const std::string&, bool,
                  const Patience&) -> Result<std::string> {
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
  CHECK(credentials.current(kNow, kLong) == fixed);
  credentials.refused(fixed);
  CHECK(credentials.current(kNow, kLong) == fixed);
}

TEST_CASE("a credential plugin is asked once, and again when its answer has expired") {
  Counting plugin;
  Credentials credentials(with_plugin(), plugin.run());
  CHECK(credentials.current(kNow, kLong)->token == "t1");
  CHECK(credentials.current(kNow + minutes(59), kLong)->token == "t1");
  CHECK(credentials.current(kNow + minutes(60), kLong)->token == "t2");
  CHECK(plugin.runs == 2);
}

TEST_CASE("a credential plugin is asked again when the server refused its answer") {
  Counting plugin;
  Credentials credentials(with_plugin(), plugin.run());
  const Credential first = *credentials.current(kNow, kLong);
  credentials.refused(first);
  CHECK(credentials.current(kNow, kLong)->token == "t2");
  credentials.refused(first);  // late news of the old one
  CHECK(credentials.current(kNow, kLong)->token == "t2");
}

TEST_CASE("who waits for a plugin that another call has started waits no longer than it may") {
  std::stop_source begun;
  std::stop_source stop;
  Credentials credentials(
      with_plugin(),
      [&](const ExecPlugin&, const std::string&, bool, const Patience&) -> Result<std::string> {
        begun.request_stop();
        pause_for(std::chrono::minutes(10), stop.get_token());
        return std::unexpected(Error{.message = "ended"});
      });
  std::jthread first([&] { CHECK(credentials.current(kNow, kLong).error().message == "ended"); });
  pause_for(std::chrono::minutes(1), begun.get_token());
  const auto now = std::chrono::steady_clock::now();
  const auto late = credentials.current(kNow, {.until = now + std::chrono::milliseconds(50)});
  REQUIRE_FALSE(late);
  CHECK(late.error().is(ErrorKind::kUnreachable));
  CHECK(late.error().message ==
        "getting credentials: exec: executable get-token was started by another call and has not "
        "answered in time");
  std::stop_source mine;
  mine.request_stop();
  CHECK_FALSE(credentials.current(kNow, {.until = kLong.until, .stop = mine.get_token()}));
  CHECK(std::chrono::steady_clock::now() - now < std::chrono::seconds(5) * test::kSlowness);
  stop.request_stop();
}

TEST_CASE("a credential plugin that fails is asked again") {
  int runs = 0;
  Credentials credentials(
      with_plugin(),
      [&](const ExecPlugin&, const std::string&, bool, const Patience&) -> Result<std::string> {
        ++runs;
        return std::unexpected(Error{.kind = ErrorKind::kConfiguration, .message = "no"});
      });
  CHECK(credentials.current(kNow, kLong).error().message == "no");
  CHECK_FALSE(credentials.current(kNow, kLong));
  CHECK(runs == 2);
}

}  // namespace
}  // namespace pgc::kube
