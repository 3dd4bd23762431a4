#include "webhook/serving_certificate.h"

#include <catch2/catch_test_macros.hpp>

#include "shared/x509/x509.h"

namespace pgc::webhook {
namespace {

using std::chrono::days;

const x509::Time kNow{std::chrono::seconds(1'800'000'000)};
const std::string kName = "pgc-webhook.pgc-system.svc";

x509::Pair a_ca() {
  return x509::make_ca("test CA", {kNow - days(1), kNow + days(365)}, x509::random_serial())
      .value();
}

PemFiles files_of(const x509::Pair& ca, const std::string& name = kName) {
  const auto leaf = x509::issue_leaf(ca,
                                     {.common_name = "webhook",
                                      .dns_names = {name},
                                      .ip_addresses = {},
                                      .validity = {kNow - days(1), kNow + days(90)}},
                                     x509::random_serial())
                        .value();
  return {leaf.certificate, leaf.key, ca.certificate};
}

TEST_CASE("a whole pair is taken, and the same again changes nothing", "[webhook]") {
  ServingCertificate certificate(kName);
  CHECK(certificate.serial().empty());
  const PemFiles files = files_of(a_ca());
  CHECK(certificate.offer(files, kNow) == Offer::kTaken);
  CHECK(certificate.serial() == x509::parse(files.certificate)->serial);
  CHECK(certificate.ca() == files.ca);
  CHECK(certificate.offer(files, kNow) == Offer::kUnchanged);
}

TEST_CASE("a pair that is not whole leaves the last good one in place", "[webhook]") {
  const x509::Pair ca = a_ca();
  const PemFiles good = files_of(ca);
  const PemFiles other = files_of(ca);
  ServingCertificate certificate(kName);
  REQUIRE(certificate.offer(good, kNow).has_value());
  struct Case {
    const char* name;
    PemFiles files;
    x509::Time now;
    const char* error;
  };
  const std::vector<Case> cases = {
      {"mixed up",
       {other.certificate, good.key, good.ca},
       kNow,
       "the key does not belong to the certificate"},
      {"half written",
       {other.certificate.substr(0, 200), other.key, other.ca},
       kNow,
       "holds no certificate in PEM form"},
      {"no key",
       {other.certificate, "", other.ca},
       kNow,
       "the key is no unencrypted private key in PEM form"},
      {"another CA",
       {other.certificate, other.key, a_ca().certificate},
       kNow,
       "unable to get local issuer certificate"},
      {"another name", files_of(ca, "a.example"), kNow, "hostname mismatch"},
      {"expired", other, kNow + days(91), "certificate has expired"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const auto offer = certificate.offer(c.files, c.now);
    REQUIRE_FALSE(offer.has_value());
    CHECK(offer.error() == c.error);
    CHECK(certificate.serial() == x509::parse(good.certificate)->serial);
  }
}

}  // namespace
}  // namespace pgc::webhook
