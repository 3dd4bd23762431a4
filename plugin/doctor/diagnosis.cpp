#include "plugin/doctor/diagnosis.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plugin/doctor/failed_call.h"
#include "shared/kube/time.h"
#include "shared/x509/base64.h"
#include "shared/x509/x509.h"

namespace pgc::plugin {
namespace {

using kube::ErrorKind;
using kube::find_at;
using kube::int_at;
using kube::Json;
using kube::Object;
using kube::string_at;

constexpr const char* kInstall = "install pgc: kubectl apply -k manifests";
constexpr const char* kServerName = "pgc-webhook.pgc-system.svc";

Check fine(std::string hop, std::string detail) {
  return {std::move(hop), Health::kFine, std::move(detail), {}};
}

Check broken(std::string hop, std::string detail, std::string remedy) {
  return {std::move(hop), Health::kBroken, std::move(detail), std::move(remedy)};
}

// What cannot be read may be fine all the same.
Check unseen(std::string hop, const kube::Error& error, const std::string& remedy) {
  if (error.is(ErrorKind::kNotFound)) {
    return broken(std::move(hop), "does not exist", remedy);
  }
  return {std::move(hop), Health::kUnknown, error.message, {}};
}

const Json& list_at(const Json& document, std::initializer_list<std::string_view> path) {
  static const Json empty = Json::array();
  const Json* list = find_at(document, path);
  return list != nullptr && list->is_array() ? *list : empty;
}

const Json* item_with(const Json& list, std::string_view key, std::string_view value) {
  const auto found = std::find_if(
      list.begin(), list.end(), [&](const Json& item) { return string_at(item, {key}) == value; });
  return found == list.end() ? nullptr : &*found;
}

std::string until(x509::Time time) {
  return "until " + kube::rfc3339(time);
}

// --- The hops ---

Check check_crd(const Sightings& seen) {
  const std::string hop = "CRD";
  if (!seen.crd) return unseen(hop, seen.crd.error(), kInstall);
  const Json& json = seen.crd->json();
  const Json* established =
      item_with(list_at(json, {"status", "conditions"}), "type", "Established");
  if (established == nullptr || string_at(*established, {"status"}) != "True") {
    return broken(hop, "is not established",
                  "kubectl describe crd postgresclusters.db.example.com says why");
  }
  const Json* version =
      item_with(list_at(json, {"spec", "versions"}), "name", kube::kPostgresClusters.version);
  if (version == nullptr || !version->value("served", false)) {
    return broken(hop, "does not serve " + kube::kPostgresClusters.api_version(),
                  "this program and what is installed are of different versions");
  }
  return fine(hop, "postgresclusters.db.example.com serves v1");
}

// The trust of one configuration: empty, unreadable, run out, or fine.
Check check_bundle(const std::string& hop, const Json& hook, TimePoint now) {
  const auto bundle = x509::from_base64(string_at(hook, {"clientConfig", "caBundle"}));
  if (!bundle || bundle->empty()) {
    return broken(hop, "has no caBundle, so the API server trusts no certificate of the webhook",
                  "the operator writes it: does it run, may it patch the configuration?");
  }
  const auto authorities = x509::split(*bundle);
  if (!authorities || authorities->empty()) {
    return broken(hop, "has a caBundle that holds no certificate",
                  "remove what else writes it; the operator puts it right");
  }
  const auto newest = x509::parse(authorities->back());
  if (!newest) return broken(hop, "has a caBundle that cannot be read: " + newest.error(), "");
  if (newest->validity.not_after <= now) {
    return broken(hop,
                  "has a caBundle that ran out on " + kube::rfc3339(newest->validity.not_after),
                  "the operator renews it: does it run?");
  }
  return fine(hop, "failurePolicy " + std::string(string_at(hook, {"failurePolicy"})) + ", CA " +
                       until(newest->validity.not_after));
}

Check check_configuration(const std::string& hop, const kube::Result<Object>& configuration,
                          TimePoint now) {
  if (!configuration) return unseen(hop, configuration.error(), kInstall);
  const Json& hooks = list_at(configuration->json(), {"webhooks"});
  if (hooks.empty()) return broken(hop, "names no webhook", kInstall);
  return check_bundle(hop, hooks.front(), now);
}

Check check_service(const Sightings& seen) {
  const std::string hop = "Service";
  if (!seen.service) return unseen(hop, seen.service.error(), kInstall);
  const Json& ports = list_at(seen.service->json(), {"spec", "ports"});
  const bool has_port = std::any_of(ports.begin(), ports.end(),
                                    [](const Json& port) { return int_at(port, {"port"}) == 443; });
  if (!has_port) return broken(hop, "has no port 443", kInstall);
  return fine(hop, "pgc-system/pgc-webhook, port 443");
}

std::size_t ready_addresses(const kube::ObjectList& slices) {
  std::size_t count = 0;
  for (const Object& slice : slices.items) {
    for (const Json& endpoint : list_at(slice.json(), {"endpoints"})) {
      const Json* ready = find_at(endpoint, {"conditions", "ready"});
      if (ready == nullptr || *ready == true) ++count;  // absent counts as ready, says the API
    }
  }
  return count;
}

// What keeps the first container of a pod that is not ready from running.
std::string trouble_of(const kube::Result<kube::ObjectList>& pods) {
  if (!pods) return {};
  for (const Object& pod : pods->items) {
    for (const Json& container : list_at(pod.json(), {"status", "containerStatuses"})) {
      const std::string reason(string_at(container, {"state", "waiting", "reason"}));
      if (!reason.empty()) return std::string(pod.name()) + " is waiting: " + reason;
    }
    const Json* scheduled =
        item_with(list_at(pod.json(), {"status", "conditions"}), "type", "PodScheduled");
    if (scheduled != nullptr && string_at(*scheduled, {"status"}) == "False") {
      return std::string(pod.name()) +
             " is not scheduled: " + std::string(string_at(*scheduled, {"message"}));
    }
  }
  return pods->items.empty() ? "there is no pod" : "";
}

Check check_pods(const Sightings& seen) {
  const std::string hop = "Webhook pods";
  if (!seen.webhook) return unseen(hop, seen.webhook.error(), kInstall);
  const std::int64_t wanted = int_at(seen.webhook->json(), {"spec", "replicas"}, 1);
  const std::int64_t ready = int_at(seen.webhook->json(), {"status", "readyReplicas"}, 0);
  const std::string count = std::to_string(ready) + " of " + std::to_string(wanted) + " ready";
  const std::string trouble = trouble_of(seen.pods);
  const std::string detail = count + (trouble.empty() ? "" : ", " + trouble);
  const char* remedy = "kubectl -n pgc-system describe pods -l app.kubernetes.io/name=pgc-webhook";
  if (ready == 0) return broken(hop, detail, remedy);
  if (ready < wanted) return {hop, Health::kDoubtful, detail, remedy};
  return fine(hop, count);
}

Check check_endpoints(const Sightings& seen) {
  const std::string hop = "Endpoints";
  if (!seen.endpoints) return unseen(hop, seen.endpoints.error(), kInstall);
  const std::size_t count = ready_addresses(*seen.endpoints);
  if (count > 0) return fine(hop, std::to_string(count) + " ready behind the Service");
  return broken(hop, "no ready address stands behind the Service",
                "its selector must be app.kubernetes.io/name=pgc-webhook, and a pod ready");
}

Check check_certificate(const Sightings& seen, TimePoint now) {
  const std::string hop = "Certificate";
  if (!seen.certificate) {
    return unseen(hop, seen.certificate.error(), "the operator writes it: does it run?");
  }
  const auto pem = x509::from_base64(string_at(seen.certificate->json(), {"data", "tls.crt"}));
  const auto leaf = x509::parse(pem.value_or(""));
  if (!leaf) {
    return broken(hop, "Secret pgc-webhook-tls holds no certificate in tls.crt",
                  "delete the Secret, the operator makes it anew");
  }
  if (leaf->validity.not_after <= now) {
    return broken(hop, "ran out on " + kube::rfc3339(leaf->validity.not_after),
                  "the operator renews it: does it run?");
  }
  if (std::find(leaf->dns_names.begin(), leaf->dns_names.end(), kServerName) ==
      leaf->dns_names.end()) {
    return broken(hop, std::string("is not for ") + kServerName,
                  "delete Secret pgc-webhook-tls, the operator makes it anew");
  }
  return fine(hop, std::string("for ") + kServerName + ", " + until(leaf->validity.not_after));
}

// --- The proof ---

bool was_refused_by_us(const kube::Error& error) {
  return std::any_of(error.causes.begin(), error.causes.end(),
                     [](const kube::Cause& cause) { return cause.field == kForbiddenField; });
}

Check check_call(const Sightings& seen) {
  const std::string hop = "Call";
  for (const auto* probe : {&seen.good, &seen.bad}) {
    if (*probe) continue;
    const kube::Error& error = probe->error();
    if (const auto failed = failed_call(error.message)) {
      return broken(hop, failed->webhook + ": " + failed->why, failed->remedy);
    }
    if (probe == &seen.bad && was_refused_by_us(error)) continue;
    if (error.is(ErrorKind::kForbidden)) {
      return {hop, Health::kUnknown, error.message,
              "choose a namespace with -n where you may create a PostgresCluster"};
    }
    return {hop, Health::kUnknown, "the dry run failed: " + error.message, {}};
  }
  if (seen.bad) {
    return broken(hop, "the API server does not ask the webhook: a wrong cluster passed a dry run",
                  "the rules, selectors and matchConditions of the webhook configurations must "
                  "cover this namespace");
  }
  return fine(hop,
              "the API server asked the webhook; it accepted a right cluster and refused a "
              "wrong one (dry runs)");
}

Check check_deletion(const Sightings& seen) {
  const std::string hop = "Deletion policy";
  if (!seen.deletion_policy) return unseen(hop, seen.deletion_policy.error(), kInstall);
  if (!seen.deletion_binding) return unseen(hop, seen.deletion_binding.error(), kInstall);
  return fine(hop, "spec.deletionProtection holds");
}

// --- The operator ---

Check check_operator(const Sightings& seen) {
  const std::string hop = "Operator";
  if (!seen.operator_) return unseen(hop, seen.operator_.error(), kInstall);
  const std::int64_t ready = int_at(seen.operator_->json(), {"status", "readyReplicas"}, 0);
  if (ready > 0) return fine(hop, std::to_string(ready) + " ready");
  return broken(hop, "no pod of it is ready",
                "kubectl -n pgc-system describe pods -l app.kubernetes.io/name=pgc-operator");
}

Check check_lease(const Sightings& seen, TimePoint now) {
  const std::string hop = "Leader";
  if (!seen.lease) return unseen(hop, seen.lease.error(), "no operator ever led: does one run?");
  const Json& json = seen.lease->json();
  const std::string holder(string_at(json, {"spec", "holderIdentity"}));
  const auto renewed = kube::parse_rfc3339(string_at(json, {"spec", "renewTime"}));
  const std::int64_t duration = int_at(json, {"spec", "leaseDurationSeconds"}, 15);
  if (holder.empty()) return broken(hop, "no operator leads", "does one run?");
  if (!renewed || *renewed + std::chrono::seconds(duration) < now) {
    return broken(hop, holder + " has not renewed its lease in time",
                  "kubectl -n pgc-system logs deployment/pgc-operator");
  }
  return fine(hop, holder);
}

}  // namespace

std::vector<Check> diagnose(const Sightings& seen, TimePoint now) {
  return {check_crd(seen),
          check_configuration("Mutating", seen.mutating, now),
          check_configuration("Validating", seen.validating, now),
          check_service(seen),
          check_pods(seen),
          check_endpoints(seen),
          check_certificate(seen, now),
          check_call(seen),
          check_deletion(seen),
          check_operator(seen),
          check_lease(seen, now)};
}

}  // namespace pgc::plugin
