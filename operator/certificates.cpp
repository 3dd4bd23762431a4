#include "operator/certificates.h"

#include <nlohmann/json.hpp>

#include "shared/x509/base64.h"

namespace pgc {

namespace {

using kube::Json;
using namespace certificates;

constexpr const char* kFieldManager = "pgc-operator-webhook-ca";
constexpr int kMostRounds = 4;  // a plan that asks to be called at once more often than this waits
constexpr std::string_view kPreviousKey = "previous.crt";

std::string value_of(const kube::Object& secret, std::string_view key) {
  return x509::from_base64(kube::string_at(secret.json(), {"data", key})).value_or("");
}

// Absent is an answer; any other failure is not.
kube::Result<std::optional<kube::Object>> find(kube::Reader& reader, const kube::ObjectRef& ref) {
  auto object = reader.get(ref);
  if (object) return std::optional(*std::move(object));
  if (object.error().is(kube::ErrorKind::kNotFound)) return std::nullopt;
  return std::unexpected(object.error());
}

x509::Pair pair_of(const kube::Object& secret) {
  return {value_of(secret, "tls.crt"), value_of(secret, "tls.key")};
}

ObservedCa observed_ca(const kube::Object& secret) {
  const x509::Pair pair = pair_of(secret);
  const auto facts = x509::parse(pair.certificate);
  return {pair.certificate, value_of(secret, kPreviousKey),
          facts && facts->is_ca && x509::verify_pair(pair)};
}

ObservedLeaf observed_leaf(const kube::Object& secret) {
  const x509::Pair pair = pair_of(secret);
  return {pair.certificate, value_of(secret, "ca.crt"), x509::verify_pair(pair).has_value()};
}

ObservedConfiguration observed_configuration(const kube::ObjectRef& ref,
                                             const kube::Object& object) {
  ObservedConfiguration configuration{ref, std::string(object.uid()), {}};
  const Json* hooks = kube::find_at(object.json(), {"webhooks"});
  if (hooks == nullptr || !hooks->is_array()) return configuration;
  for (const Json& hook : *hooks) {
    const auto bundle = x509::from_base64(kube::string_at(hook, {"clientConfig", "caBundle"}));
    configuration.hooks.push_back(
        {std::string(kube::string_at(hook, {"name"})), bundle.value_or("")});
  }
  return configuration;
}

kube::Error failed(const std::string& what) {
  return {.kind = kube::ErrorKind::kOther, .message = "webhook certificate: " + what};
}

const char* name_of(const Step& step) {
  constexpr const char* kNames[] = {"MakeCa", "ForgetPreviousCa", "IssueLeaf", "PublishCa",
                                    "PublishBundle"};
  return kNames[step.index()];
}

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace

// What was read, with the Secrets as they are: their keys are needed to sign, and their versions to
// write.
struct WebhookCertificates::Seen {
  Observed observed;
  std::optional<kube::Object> ca;
  std::optional<kube::Object> leaf;
};

WebhookCertificates::WebhookCertificates(kube::Client& client, Options options, const Log& log)
    : client_(client), options_(std::move(options)), log_(log) {}

std::string WebhookCertificates::server_name() const {
  return options_.service + "." + options_.ns + ".svc";
}

kube::Result<std::chrono::seconds> WebhookCertificates::reconcile(std::chrono::sys_seconds now) {
  for (int round = 0; round < kMostRounds; ++round) {
    const auto seen = observe();
    if (!seen) return std::unexpected(seen.error());
    const Plan next = plan(seen->observed, server_name(), now);
    for (const Step& step : next.steps) {
      if (auto done = execute(step, *seen, now); !done) return std::unexpected(done.error());
      log_.info("webhook certificates", {{"step", name_of(step)}});
    }
    if (next.look_again > std::chrono::seconds(0)) return next.look_again;
  }
  return kLookAgain;
}

kube::Result<WebhookCertificates::Seen> WebhookCertificates::observe() {
  Seen seen;
  auto ca = find(client_, {kube::kSecrets, options_.ns, options_.ca_secret});
  if (!ca) return std::unexpected(ca.error());
  auto leaf = find(client_, {kube::kSecrets, options_.ns, options_.leaf_secret});
  if (!leaf) return std::unexpected(leaf.error());
  for (const kube::ObjectRef& ref :
       {kube::ObjectRef{kube::kMutatingWebhooks, "", options_.mutating_configuration},
        kube::ObjectRef{kube::kValidatingWebhooks, "", options_.validating_configuration}}) {
    const auto object = find(client_, ref);
    if (!object) return std::unexpected(object.error());
    if (*object) seen.observed.configurations.push_back(observed_configuration(ref, **object));
  }
  if ((seen.ca = *ca)) seen.observed.ca = observed_ca(*seen.ca);
  if ((seen.leaf = *leaf)) seen.observed.leaf = observed_leaf(*seen.leaf);
  return seen;
}

kube::Result<void> WebhookCertificates::execute(const Step& step, const Seen& seen,
                                                x509::Time now) {
  const auto object = [](const std::optional<kube::Object>& secret) {
    return secret ? &*secret : nullptr;
  };
  return std::visit(Overloaded{
                        [&](const MakeCa& make) { return make_ca(make, seen, now); },
                        [&](const ForgetPreviousCa&) {
                          return write_secret(options_.ca_secret, object(seen.ca),
                                              {{kPreviousKey, ""}});
                        },
                        [&](const IssueLeaf& issue) { return issue_leaf(issue, seen); },
                        [&](const PublishCa& publish) {
                          return write_secret(options_.leaf_secret, object(seen.leaf),
                                              {{"ca.crt", publish.trusted}});
                        },
                        [&](const PublishBundle& bundle) { return publish(bundle); },
                    },
                    step);
}

kube::Result<void> WebhookCertificates::make_ca(const MakeCa& step, const Seen& seen,
                                                x509::Time now) {
  const auto pair = x509::make_ca(options_.service + " CA", {now - kBackdate, now + kCaLife},
                                  x509::random_serial());
  if (!pair) return std::unexpected(failed(pair.error()));
  return write_secret(
      options_.ca_secret, seen.ca ? &*seen.ca : nullptr,
      {{"tls.crt", pair->certificate}, {"tls.key", pair->key}, {kPreviousKey, step.previous}});
}

kube::Result<void> WebhookCertificates::issue_leaf(const IssueLeaf& step, const Seen& seen) {
  const std::string in_namespace = options_.service + "." + options_.ns;
  const auto pair = x509::issue_leaf(pair_of(*seen.ca),
                                     {.common_name = options_.service,
                                      .dns_names = {server_name(), in_namespace, options_.service},
                                      .ip_addresses = {},
                                      .validity = step.validity,
                                      .usage = x509::Usage::kServer},
                                     x509::random_serial());
  if (!pair) return std::unexpected(failed(pair.error()));
  return write_secret(
      options_.leaf_secret, seen.leaf ? &*seen.leaf : nullptr,
      {{"tls.crt", pair->certificate}, {"tls.key", pair->key}, {"ca.crt", step.trusted}});
}

// Server-side apply of the one field, and without force: where somebody else keeps the bundle (an
// injector, GitOps), the conflict says so instead of two programs overwriting each other for ever.
kube::Result<void> WebhookCertificates::publish(const PublishBundle& step) {
  Json hooks = Json::array();
  for (const std::string& name : step.hooks) {
    hooks.push_back(
        {{"name", name}, {"clientConfig", {{"caBundle", x509::to_base64(step.trusted)}}}});
  }
  const Json body{{"apiVersion", step.ref.type.api_version()},
                  {"kind", step.ref.type.kind},
                  {"metadata", {{"name", step.ref.name}, {"uid", step.uid}}},
                  {"webhooks", hooks}};
  kube::WriteOptions options;
  options.field_manager = kFieldManager;
  const auto written = client_.patch(step.ref, kube::PatchType::kApply, body, options);
  if (!written) return std::unexpected(written.error());
  return {};
}

// Creates the Secret, or changes the given keys of the one that was read.
kube::Result<void> WebhookCertificates::write_secret(const std::string& name,
                                                     const kube::Object* before, const Json& data) {
  Json body{{"metadata", {{"name", name}, {"labels", {{"app.kubernetes.io/managed-by", "pgc"}}}}},
            {"stringData", data}};
  kube::Result<kube::Object> written;
  if (before != nullptr) {
    body["metadata"]["resourceVersion"] = before->resource_version();
    written = client_.patch({kube::kSecrets, options_.ns, name}, kube::PatchType::kMerge, body, {});
  } else {
    body["apiVersion"] = "v1";
    body["kind"] = "Secret";
    body["type"] = "kubernetes.io/tls";
    written = client_.create(kube::kSecrets, options_.ns, kube::Object(body), {});
  }
  if (!written) return std::unexpected(written.error());
  return {};
}

}  // namespace pgc
