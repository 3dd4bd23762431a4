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

void container(Json& c) {
  set(c, "resources", Json::object());
  canonicalize(c["resources"]);
  set(c, "terminationMessagePath", "/dev/termination-log");
  set(c, "terminationMessagePolicy", "File");
  for (const char* probe : {"livenessProbe", "readinessProbe"}) {
    if (c.contains(probe)) set(c[probe], "successThreshold", 1);
  }
}

void pod_spec(Json& spec) {
  set(spec, "restartPolicy", "Always");
  set(spec, "dnsPolicy", "ClusterFirst");
  set(spec, "schedulerName", "default-scheduler");
  set(spec, "serviceAccount", spec.value("serviceAccountName", ""));
  for (Json& c : spec["containers"]) container(c);
}

void stateful_set(Json& spec) {
  set(spec, "revisionHistoryLimit", 10);
  set(spec, "persistentVolumeClaimRetentionPolicy",
      {{"whenDeleted", "Retain"}, {"whenScaled", "Retain"}});
  if (spec.contains("template")) pod_spec(spec["template"]["spec"]);
}

void service(Json& spec) {
  set(spec, "clusterIP", "10.96.0.7");
  set(spec, "sessionAffinity", "None");
  set(spec, "internalTrafficPolicy", "Cluster");
  set(spec, "ipFamilies", {"IPv4"});
}

void volume_claim(Json& spec) {
  set(spec, "volumeMode", "Filesystem");
  set(spec, "storageClassName", "standard");
  if (spec.contains("resources")) canonicalize(spec["resources"]);
}

}  // namespace

void set_api_defaults(const kube::ResourceType& type, Json& document) {
  if (type == kube::kSecrets) set(document, "type", "Opaque");
  if (!document.contains("spec")) return;
  Json& spec = document["spec"];
  if (type == kube::kStatefulSets) stateful_set(spec);
  if (type == kube::kServices) service(spec);
  if (type == kube::kPersistentVolumeClaims) volume_claim(spec);
}

}  // namespace pgc::test
