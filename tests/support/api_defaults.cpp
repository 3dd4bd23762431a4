#include "tests/support/api_defaults.h"

#include <nlohmann/json.hpp>

#include "shared/schema/quantity.h"

namespace pgc::test {
namespace {

using kube::Json;

void set(Json& object, const char* key, const Json& value) {
  if (!object.contains(key)) object[key] = value;
}

void canonicalize(Json& resources) {
  for (const char* kind : {"requests", "limits"}) {
    if (!resources.contains(kind)) continue;
    for (auto& [name, amount] : resources[kind].items()) {
      amount = schema::Quantity::parse(amount.get<std::string>()).value().to_string();
    }
  }
}

void probe(Json& wanted) {
  set(wanted, "timeoutSeconds", 1);
  set(wanted, "periodSeconds", 10);
  set(wanted, "successThreshold", 1);
  set(wanted, "failureThreshold", 3);
}

std::string pull_policy(const Json& container) {
  const std::string image = container.value("image", "");
  const auto tag = image.rfind(':');
  return tag == std::string::npos || image.substr(tag) == ":latest" ? "Always" : "IfNotPresent";
}

void container(Json& c) {
  set(c, "resources", Json::object());
  canonicalize(c["resources"]);
  set(c, "terminationMessagePath", "/dev/termination-log");
  set(c, "terminationMessagePolicy", "File");
  set(c, "imagePullPolicy", pull_policy(c));
  if (c.contains("ports")) {
    for (Json& port : c["ports"]) set(port, "protocol", "TCP");
  }
  for (const char* name : {"livenessProbe", "readinessProbe"}) {
    if (c.contains(name)) probe(c[name]);
  }
}

void pod_spec(Json& spec) {
  set(spec, "restartPolicy", "Always");
  set(spec, "terminationGracePeriodSeconds", 30);
  set(spec, "dnsPolicy", "ClusterFirst");
  set(spec, "schedulerName", "default-scheduler");
  set(spec, "securityContext", Json::object());
  if (spec.contains("serviceAccountName")) set(spec, "serviceAccount", spec["serviceAccountName"]);
  for (Json& c : spec["containers"]) container(c);
}

void stateful_set(Json& spec) {
  set(spec, "replicas", 1);
  set(spec, "podManagementPolicy", "OrderedReady");
  set(spec, "updateStrategy", {{"type", "RollingUpdate"}});
  if (spec["updateStrategy"].value("type", "") == "RollingUpdate") {
    set(spec["updateStrategy"], "rollingUpdate", {{"partition", 0}});
  }
  set(spec, "revisionHistoryLimit", 10);
  set(spec, "persistentVolumeClaimRetentionPolicy",
      {{"whenDeleted", "Retain"}, {"whenScaled", "Retain"}});
  if (spec.contains("template")) pod_spec(spec["template"]["spec"]);
}

void service(Json& spec) {
  set(spec, "type", "ClusterIP");
  set(spec, "clusterIP", "10.96.0.7");
  set(spec, "sessionAffinity", "None");
  set(spec, "internalTrafficPolicy", "Cluster");
  set(spec, "ipFamilies", {"IPv4"});
  if (!spec.contains("ports")) return;
  for (Json& port : spec["ports"]) {
    set(port, "protocol", "TCP");
    if (port.contains("port")) set(port, "targetPort", port["port"]);
  }
}

void volume_claim(Json& spec) {
  set(spec, "volumeMode", "Filesystem");
  set(spec, "storageClassName", "standard");
  if (spec.contains("resources")) canonicalize(spec["resources"]);
}

void postgres_cluster(Json& spec) {
  set(spec, "replicas", 1);
  set(spec, "storage", Json::object());
  set(spec["storage"], "size", "10Gi");
  set(spec["storage"], "persistentVolumeClaimRetentionPolicy", Json::object());
  Json& policy = spec["storage"]["persistentVolumeClaimRetentionPolicy"];
  set(policy, "whenScaled", "Retain");
  set(policy, "whenDeleted", "Retain");
}

}  // namespace

void set_api_defaults(const kube::ResourceType& type, Json& document) {
  if (type == kube::kSecrets) set(document, "type", "Opaque");
  if (type == kube::kLeases) set(document, "spec", Json::object());
  if (!document.contains("spec")) return;
  Json& spec = document["spec"];
  if (type == kube::kStatefulSets) stateful_set(spec);
  if (type == kube::kServices) service(spec);
  if (type == kube::kPersistentVolumeClaims) volume_claim(spec);
  if (type == kube::kPostgresClusters) postgres_cluster(spec);
}

}  // namespace pgc::test
