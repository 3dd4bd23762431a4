#include "plugin/doctor/failed_call.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::plugin {
namespace {

std::string call_failed(const std::string& why) {
  return "Internal error occurred: failed calling webhook \"vpostgrescluster.db.example.com\": "
         "failed to call webhook: Post "
         "\"https://pgc-webhook.pgc-system.svc:443/validate-db-example-com-v1-postgrescluster?"
         "timeout=5s\": " +
         why;
}

TEST_CASE("failed_call: the hop behind each of the API server's words") {
  struct Case {
    std::string why;
    std::string remedy;  // a part of it
  };
  const Case cases[] = {
      {"service \"pgc-webhook\" not found", "Service pgc-system/pgc-webhook is missing"},
      {"no endpoints available for service \"pgc-webhook\"", "no pod of the webhook is ready"},
      {"dial tcp 10.96.0.5:443: connect: connection refused", "targetPort"},
      {"context deadline exceeded", "firewall or NetworkPolicy"},
      {"dial tcp 10.96.0.5:443: i/o timeout", "firewall or NetworkPolicy"},
      {"tls: failed to verify certificate: x509: certificate signed by unknown authority",
       "caBundle"},
      {"tls: failed to verify certificate: x509: certificate has expired or is not yet valid: "
       "current time 2030-01-01T00:00:00Z is after 2029-01-01T00:00:00Z",
       "run out"},
      {"tls: failed to verify certificate: x509: certificate is valid for a.svc, not b.svc",
       "another name"},
      {"remote error: tls: certificate required", "--client-ca"},
      {"http: server gave HTTP response to HTTPS client", "without TLS"},
      {"something new", "webhook's log"},
  };
  for (const Case& c : cases) {
    INFO(c.why);
    const auto call = failed_call(call_failed(c.why));
    REQUIRE(call);
    CHECK(call->webhook == "vpostgrescluster.db.example.com");
    CHECK(call->why == c.why);
    CHECK(call->remedy.find(c.remedy) != std::string::npos);
  }
}

TEST_CASE("failed_call: an answer that is none of a webhook's") {
  const auto call = failed_call(
      "Internal error occurred: failed calling webhook \"m.db.example.com\": received invalid "
      "webhook response: expected response.uid=\"a\", got \"\"");
  REQUIRE(call);
  CHECK(call->webhook == "m.db.example.com");
  CHECK(call->why.starts_with("received invalid webhook response"));
  CHECK(call->remedy.find("not pgc-webhook") != std::string::npos);
}

TEST_CASE("failed_call: no failed call") {
  CHECK_FALSE(failed_call(""));
  CHECK_FALSE(failed_call("admission webhook \"v.db.example.com\" denied the request: no"));
  CHECK_FALSE(failed_call("failed calling webhook"));
}

}  // namespace
}  // namespace pgc::plugin
