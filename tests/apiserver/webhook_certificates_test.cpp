// The operator's care for the webhook's certificates, against a real API server: what the plan's
// test cannot show is that the writes are what the server accepts, and leave alone what is not
// ours.
#include "operator/certificates.h"

#include <catch2/catch_test_macros.hpp>

#include "shared/x509/base64.h"
#include "tests/apiserver/webhook_support.h"

namespace pgc::webhook::testing {
namespace {

constexpr const char* kNamespace = "pgc-certificates-test";
constexpr const char* kConfiguration = "pgc-certificates-test";

Json a_configuration(const std::string& kind) {
  for (Json document : documents_of("manifests/webhook/configurations.yaml")) {
    if (document["kind"] != kind) continue;
    document["metadata"]["name"] = kConfiguration;
    document["webhooks"][0]["namespaceSelector"]["matchLabels"] = {{"no", "namespace"}};
    return document;
  }
  return {};
}

std::string bundle_of(const kube::Object& configuration) {
  const Json& hook = configuration.json().at("webhooks").at(0);
  return x509::from_base64(hook.at("clientConfig").value("caBundle", "")).value();
}

TEST_CASE("the operator makes, publishes and repairs the webhook's certificates", "[webhook]") {
  const auto client = connect(cluster_config());
  const Log log([](const std::string&) {});
  const kube::ObjectRef ca{kube::kSecrets, kNamespace, "pgc-webhook-ca"};
  const kube::ObjectRef leaf{kube::kSecrets, kNamespace, "pgc-webhook-tls"};
  (void)client->create(kNamespaces, "", kube::Object(Json{{"metadata", {{"name", kNamespace}}}}),
                       {});
  for (const auto& ref : {ca, leaf}) (void)client->remove(ref, {});
  for (const auto& type : {kube::kMutatingWebhooks, kube::kValidatingWebhooks}) {
    (void)client->remove({type, "", kConfiguration}, {});
    REQUIRE(client->create(type, "", kube::Object(a_configuration(std::string(type.kind))), {}));
  }
  WebhookCertificates::Options options;
  options.ns = kNamespace;
  options.mutating_configuration = kConfiguration;
  options.validating_configuration = kConfiguration;
  WebhookCertificates certificates(*client, options, log);
  const kube::ObjectRef mutating{kube::kMutatingWebhooks, "", kConfiguration};

  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  REQUIRE(certificates.reconcile(now).has_value());
  const auto secret = client->get(leaf).value();
  const auto value = [&](std::string_view key) {
    return x509::from_base64(kube::string_at(secret.json(), {"data", key})).value();
  };
  CHECK(secret.json().at("type") == "kubernetes.io/tls");
  CHECK(x509::verify_pair({value("tls.crt"), value("tls.key")}).has_value());
  CHECK(x509::verify_chain(value("tls.crt"), bundle_of(client->get(mutating).value()),
                           "pgc-webhook.pgc-certificates-test.svc", x509::Usage::kServer, now));

  SECTION("a second look writes nothing") {
    const std::string version(client->get(mutating)->resource_version());
    REQUIRE(certificates.reconcile(now).has_value());
    CHECK(client->get(mutating).value().resource_version() == version);
    CHECK(client->get(leaf).value().resource_version() == secret.resource_version());
  }
  SECTION("the rest of the configuration stays as it was applied") {
    const Json hook = client->get(mutating)->json().at("webhooks").at(0);
    CHECK(hook.at("matchConditions").size() == 1);
    CHECK(hook.at("clientConfig").at("service").at("name") == "pgc-webhook");
    CHECK(hook.at("timeoutSeconds") == 5);
  }
  SECTION("a CA that is due is replaced with an overlap") {
    const auto later = now + std::chrono::days(244);
    REQUIRE(certificates.reconcile(later).has_value());
    CHECK(x509::split(bundle_of(client->get(mutating).value()))->size() == 2);
    REQUIRE(certificates.reconcile(later + std::chrono::minutes(2)).has_value());
    CHECK(client->get(leaf)->resource_version() != secret.resource_version());
    REQUIRE(certificates.reconcile(later + std::chrono::hours(2)).has_value());
    CHECK(x509::split(bundle_of(client->get(mutating).value()))->size() == 1);
  }
  SECTION("a Secret that somebody deleted comes back") {
    REQUIRE(client->remove(leaf, {}).has_value());
    REQUIRE(certificates.reconcile(now).has_value());
    CHECK(client->get(leaf).has_value());
  }

  for (const auto& type : {kube::kMutatingWebhooks, kube::kValidatingWebhooks}) {
    (void)client->remove({type, "", kConfiguration}, {});
  }
}

}  // namespace
}  // namespace pgc::webhook::testing
