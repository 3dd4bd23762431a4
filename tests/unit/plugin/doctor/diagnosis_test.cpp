#include "plugin/doctor/diagnosis.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/x509/base64.h"
#include "shared/x509/x509.h"

namespace pgc::plugin {
namespace {

using kube::Json;
using kube::Object;

const auto kNow = std::chrono::sys_days(std::chrono::August / 21 / 2026) + std::chrono::hours(10);

kube::Error error(kube::ErrorKind kind, int code, std::string message) {
  kube::Error made;
  made.kind = kind;
  made.code = code;
  made.message = std::move(message);
  return made;
}

const kube::Error kMissing = error(kube::ErrorKind::kNotFound, 404, "not found");
const kube::Error kForbidden = error(kube::ErrorKind::kForbidden, 403, "secrets are forbidden");

x509::Validity days(int from, int to) {
  return {kNow + std::chrono::days(from), kNow + std::chrono::days(to)};
}

Object object(const char* text) {
  return Object(Json::parse(text));
}

Object configuration(const std::string& bundle) {
  Json json = Json::parse(R"({"webhooks": [{"failurePolicy": "Fail", "clientConfig": {}}]})");
  json["webhooks"][0]["clientConfig"]["caBundle"] = x509::to_base64(bundle);
  return Object(json);
}

Object secret(const x509::Pair& ca, const std::string& name, const x509::Validity& validity) {
  const auto leaf = x509::issue_leaf(
      ca, {.common_name = "webhook", .dns_names = {name}, .ip_addresses = {}, .validity = validity},
      x509::random_serial());
  Json json = Json::object();
  json["data"]["tls.crt"] = x509::to_base64(leaf->certificate);
  return Object(json);
}

kube::Error refusal() {
  kube::Error made = error(kube::ErrorKind::kInvalid, 422, "denied the request");
  made.causes = {{kForbiddenField, "Forbidden: the operator sets it"}};
  return made;
}

const x509::Pair kCa = *x509::make_ca("test", days(-1, 100), x509::random_serial());
constexpr const char* kName = "pgc-webhook.pgc-system.svc";

// A cluster where all is well.
Sightings healthy() {
  const Object endpoint = object(R"({"endpoints": [{"conditions": {"ready": true}}]})");
  const Object ready = object(R"({"spec": {"replicas": 2}, "status": {"readyReplicas": 2}})");
  return {
      .crd = object(R"({"spec": {"versions": [{"name": "v1", "served": true}]},
                        "status": {"conditions": [{"type": "Established", "status": "True"}]}})"),
      .mutating = configuration(kCa.certificate),
      .validating = configuration(kCa.certificate),
      .service = object(R"({"spec": {"ports": [{"port": 443}]}})"),
      .endpoints = kube::ObjectList{{endpoint}, "1"},
      .webhook = ready,
      .pods = kube::ObjectList{},
      .certificate = secret(kCa, kName, days(-1, 10)),
      .good = Object(),
      .bad = std::unexpected(refusal()),
      .deletion_policy = Object(),
      .deletion_binding = Object(),
      .operator_ = ready,
      .lease = object(R"({"spec": {"holderIdentity": "operator-a", "leaseDurationSeconds": 15,
                                   "renewTime": "2026-08-21T09:59:58.000000Z"}})"),
  };
}

Check hop(const Sightings& seen, const std::string& name) {
  const auto checks = diagnose(seen, kNow);
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const Check& check) { return check.hop == name; });
  REQUIRE(found != checks.end());
  return *found;
}

TEST_CASE("diagnose finds nothing where all is well") {
  for (const Check& check : diagnose(healthy(), kNow)) {
    INFO(check.hop << ": " << check.detail);
    CHECK(check.health == Health::kFine);
    CHECK(check.remedy.empty());
  }
}

TEST_CASE("diagnose names the hop that is broken, and no other") {
  struct Case {
    const char* hop;
    void (*harm)(Sightings&);
    const char* detail;
  };
  const Case cases[] = {
      {"CRD", [](Sightings& s) { s.crd = std::unexpected(kMissing); }, "does not exist"},
      {"CRD", [](Sightings& s) { s.crd = object(R"({"spec": {"versions": []}})"); },
       "not established"},
      {"Mutating", [](Sightings& s) { s.mutating = std::unexpected(kMissing); }, "does not exist"},
      {"Validating", [](Sightings& s) { s.validating = configuration(""); }, "no caBundle"},
      {"Validating", [](Sightings& s) { s.validating = configuration("rubbish"); },
       "no certificate"},
      {"Mutating",
       [](Sightings& s) {
         const auto old = x509::make_ca("old", days(-100, -1), x509::random_serial());
         s.mutating = configuration(old->certificate);
       },
       "ran out on 2026-08-20T10:00:00Z"},
      {"Service", [](Sightings& s) { s.service = std::unexpected(kMissing); }, "does not exist"},
      {"Service",
       [](Sightings& s) { s.service = object(R"({"spec": {"ports": [{"port": 80}]}})"); },
       "no port 443"},
      {"Endpoints", [](Sightings& s) { s.endpoints = kube::ObjectList{}; }, "no ready address"},
      {"Webhook pods",
       [](Sightings& s) {
         s.webhook = object(R"({"spec": {"replicas": 2}})");
         s.pods = kube::ObjectList{{object(R"({"metadata": {"name": "pgc-webhook-x"}, "status": {
           "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]}})")},
                                   "1"};
       },
       "0 of 2 ready, pgc-webhook-x is waiting: ImagePullBackOff"},
      {"Certificate", [](Sightings& s) { s.certificate = secret(kCa, kName, days(-9, -1)); },
       "ran out on 2026-08-20T10:00:00Z"},
      {"Certificate",
       [](Sightings& s) { s.certificate = secret(kCa, "elsewhere.svc", days(-1, 9)); },
       "is not for pgc-webhook.pgc-system.svc"},
      {"Call", [](Sightings& s) { s.bad = Object(); }, "does not ask the webhook"},
      {"Call",
       [](Sightings& s) {
         s.good = std::unexpected(
             error(kube::ErrorKind::kServerError, 500,
                   "failed calling webhook \"m.db.example.com\": failed to call webhook: Post "
                   "\"https://pgc-webhook.pgc-system.svc:443/m?timeout=5s\": connection refused"));
       },
       "m.db.example.com: connection refused"},
      {"Deletion policy", [](Sightings& s) { s.deletion_binding = std::unexpected(kMissing); },
       "does not exist"},
      {"Operator", [](Sightings& s) { s.operator_ = object(R"({"status": {}})"); },
       "no pod of it is ready"},
      {"Leader",
       [](Sightings& s) {
         s.lease = object(R"({"spec": {"holderIdentity": "operator-a",
                                        "renewTime": "2026-08-21T09:59:00.000000Z"}})");
       },
       "operator-a has not renewed"},
  };
  for (const Case& c : cases) {
    Sightings seen = healthy();
    c.harm(seen);
    INFO(c.hop << ", " << c.detail);
    for (const Check& check : diagnose(seen, kNow)) {
      INFO(check.hop << ": " << check.detail);
      CHECK((check.health == Health::kBroken) == (check.hop == c.hop));
    }
    CHECK(hop(seen, c.hop).detail.find(c.detail) != std::string::npos);
    CHECK_FALSE(hop(seen, c.hop).remedy.empty());
  }
}

TEST_CASE("diagnose takes what may not be read for unknown, not for broken") {
  Sightings seen = healthy();
  seen.certificate = std::unexpected(kForbidden);
  CHECK(hop(seen, "Certificate").health == Health::kUnknown);
  CHECK(hop(seen, "Certificate").detail == "secrets are forbidden");
  seen.good = std::unexpected(kForbidden);
  CHECK(hop(seen, "Call").health == Health::kUnknown);
}

TEST_CASE("diagnose doubts a webhook that runs in part") {
  Sightings seen = healthy();
  seen.webhook = object(R"({"spec": {"replicas": 2}, "status": {"readyReplicas": 1}})");
  CHECK(hop(seen, "Webhook pods").health == Health::kDoubtful);
}

}  // namespace
}  // namespace pgc::plugin
