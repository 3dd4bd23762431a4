#include "shared/x509/x509.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::x509 {
namespace {

using std::chrono::days;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kNow = Time(seconds(1'800'000'000));  // 2027-01-15
const Validity kYear{kNow - minutes(5), kNow + days(365)};
const Validity kQuarter{kNow - minutes(5), kNow + days(90)};
constexpr Serial kSerial{0x4a, 0x01};
const std::string kName = "pgc-webhook.pgc-system.svc";

Pair a_ca(const Validity& validity = kYear) {
  return make_ca("pgc test CA", validity, kSerial).value();
}

LeafRequest a_request(Usage usage = Usage::kServer) {
  return {.common_name = "pgc-webhook",
          .dns_names = {kName, "pgc-webhook.pgc-system"},
          .ip_addresses = {"10.1.2.3", "fd00::1"},
          .validity = kQuarter,
          .usage = usage};
}

Pair a_leaf(const Pair& ca, Usage usage = Usage::kServer) {
  return issue_leaf(ca, a_request(usage), random_serial()).value();
}

TEST_CASE("a CA says that it is one, and what it was asked to say") {
  const Certificate facts = parse(a_ca().certificate).value();
  CHECK(facts.is_ca);
  CHECK(facts.common_name == "pgc test CA");
  CHECK(facts.serial == "4a010000000000000000000000000000");
  CHECK(facts.validity == kYear);
  CHECK(facts.dns_names.empty());
}

TEST_CASE("a leaf carries its names and addresses, and is no CA") {
  const Certificate facts = parse(a_leaf(a_ca()).certificate).value();
  CHECK_FALSE(facts.is_ca);
  CHECK(facts.dns_names == std::vector<std::string>{kName, "pgc-webhook.pgc-system"});
  CHECK(facts.ip_addresses == std::vector<std::string>{"10.1.2.3", "fd00::1"});
  CHECK(facts.validity == kQuarter);
}

TEST_CASE("a comma in a name adds no further name") {
  LeafRequest request = a_request();
  request.dns_names = {"a,DNS:evil.example"};
  const Pair leaf = issue_leaf(a_ca(), request, kSerial).value();
  CHECK(parse(leaf.certificate)->dns_names == std::vector<std::string>{"a,DNS:evil.example"});
}

TEST_CASE("every made pair fits together, and no other") {
  const Pair ca = a_ca();
  const Pair leaf = a_leaf(ca);
  CHECK(verify_pair(ca).has_value());
  CHECK(verify_pair(leaf).has_value());
  const auto mixed = verify_pair({leaf.certificate, ca.key});
  REQUIRE_FALSE(mixed.has_value());
  CHECK(mixed.error() == "the key does not belong to the certificate");
}

TEST_CASE("a chain is verified for root, name, usage and time") {
  const Pair ca = a_ca();
  const Pair other = a_ca();
  const Pair leaf = a_leaf(ca);
  struct Case {
    const char* name;
    std::string roots;
    std::string host;
    Usage usage;
    Time now;
    std::string error;  // empty: it verifies
  };
  const std::vector<Case> cases = {
      {"the right CA", ca.certificate, kName, Usage::kServer, kNow, ""},
      {"no name asked", ca.certificate, "", Usage::kServer, kNow, ""},
      {"right CA among two", other.certificate + ca.certificate, kName, Usage::kServer, kNow, ""},
      {"the wrong CA", other.certificate, kName, Usage::kServer, kNow,
       "unable to get local issuer certificate"},
      {"another name", ca.certificate, "a.example", Usage::kServer, kNow, "hostname mismatch"},
      {"another usage", ca.certificate, kName, Usage::kClient, kNow,
       "unsuitable certificate purpose"},
      {"one usage of two", ca.certificate, kName, Usage::kServerAndClient, kNow,
       "unsuitable certificate purpose"},
      {"too late", ca.certificate, kName, Usage::kServer, kNow + days(91),
       "certificate has expired"},
      {"too early", ca.certificate, kName, Usage::kServer, kNow - days(1),
       "certificate is not yet valid"},
      {"no CA", "", kName, Usage::kServer, kNow, "the list of CAs holds no certificate"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const auto verified = verify_chain(leaf.certificate, c.roots, c.host, c.usage, c.now);
    CHECK((verified ? std::string() : verified.error()) == c.error);
  }
}

TEST_CASE("a certificate for both sides serves both") {
  const Pair ca = a_ca();
  const Pair leaf = a_leaf(ca, Usage::kServerAndClient);
  CHECK(verify_chain(leaf.certificate, ca.certificate, "", Usage::kServerAndClient, kNow));
}

TEST_CASE("a bundle splits into its certificates, whatever stands between them") {
  const Pair one = a_ca();
  const Pair two = a_ca();
  const auto parts = split("# one\n" + one.certificate + "\n# two\n" + two.certificate).value();
  CHECK(parts == std::vector<std::string>{one.certificate, two.certificate});
  CHECK(split("no certificate at all")->empty());
}

TEST_CASE("what cannot be made or read is an error that says so") {
  CHECK(parse("").error() == "holds no certificate in PEM form");
  CHECK(make_ca("x", {kNow, kNow}, kSerial).error() == "the validity of x ends before it starts");
  CHECK(issue_leaf({"", ""}, a_request(), kSerial).error() == "the CA is no PEM pair");
  CHECK(verify_pair({a_ca().certificate, "no key"}).error() ==
        "the key is no unencrypted private key in PEM form");
  LeafRequest request = a_request();
  request.ip_addresses = {"10.1.2"};
  CHECK(issue_leaf(a_ca(), request, kSerial).error().starts_with("\"10.1.2\" is no IP address"));
}

TEST_CASE("a certificate is due for renewal at two thirds of its life") {
  CHECK(renewal_time({kNow, kNow + days(90)}) == kNow + days(60));
}

TEST_CASE("random serials are positive, of full length, and differ") {
  const Serial one = random_serial();
  CHECK((one[0] & 0xC0) == 0x40);
  CHECK(one != random_serial());
}

}  // namespace
}  // namespace pgc::x509
