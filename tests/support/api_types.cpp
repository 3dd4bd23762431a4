#include "tests/support/api_types.h"

#include <algorithm>
#include <map>

namespace pgc::test {
namespace {

constexpr kube::ResourceType kCustomResourceDefinitions{
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};

const std::vector<ApiType>& types() {
  static const std::vector<ApiType> all = {
      {.type = kube::kConfigMaps},
      {.type = kube::kSecrets},
      {.type = kube::kServiceAccounts},
      {.type = kube::kServices, .has_status = true, .creates_on_put = true},
      {.type = kube::kPersistentVolumeClaims,
       .has_status = true,
       .protection = "kubernetes.io/pvc-protection"},
      {.type = kube::kPods, .counts_generation = true, .has_status = true},
      {.type = kube::kStatefulSets, .counts_generation = true, .has_status = true, .scales = true},
      {.type = kube::kPodDisruptionBudgets,
       .counts_generation = true,
       .has_status = true,
       .needs_version = true},
      {.type = kube::kLeases, .creates_on_put = true, .needs_version = true},
      {.type = kube::kRoles, .creates_on_put = true},
      {.type = kube::kRoleBindings, .creates_on_put = true},
      {.type = kube::kEvents, .creates_on_put = true},
      {.type = kube::kMutatingWebhooks, .counts_generation = true},
      {.type = kube::kValidatingWebhooks, .counts_generation = true},
      {.type = kCustomResourceDefinitions, .counts_generation = true, .has_status = true},
      {.type = kube::kPostgresClusters,
       .counts_generation = true,
       .has_status = true,
       .custom = true,
       .needs_version = true,
       .scales = true}};
  return all;
}

const Structure kSetOfScalars{Merge::kSet};
const Structure kOne{Merge::kWhole};

Structure by(std::vector<ListKey> keys) {
  return {Merge::kByKeys, std::move(keys)};
}

// Pods stand in StatefulSets, too; a path of one type means nothing in another.
std::map<std::string, Structure, std::less<>> structures() {
  std::map<std::string, Structure, std::less<>> all = {
      {"metadata.finalizers", kSetOfScalars},
      {"metadata.ownerReferences", by({{"uid"}})},
      {"metadata.ownerReferences[]", kOne},
      {"webhooks", by({{"name"}})},
      {"webhooks[].matchConditions", by({{"name"}})},
      {"webhooks[].objectSelector", kOne},
      {"webhooks[].namespaceSelector", kOne},
      {"secrets", by({{"name"}})},
      {"spec.ports", by({{"port"}, {"protocol", "TCP"}})},
      {"spec.selector", kOne},
      {"roleRef", kOne},
      {"status.conditions", by({{"type"}})},
      {"status.instances", by({{"name"}})}};
  for (const std::string pod : {"spec.", "spec.template.spec."}) {
    all[pod + "volumes"] = by({{"name"}});
    all[pod + "imagePullSecrets"] = by({{"name"}});
    all[pod + "nodeSelector"] = kOne;
    all[pod + "topologySpreadConstraints"] = by({{"topologyKey"}, {"whenUnsatisfiable"}});
    all[pod + "topologySpreadConstraints[].labelSelector"] = kOne;
    for (const std::string list : {"containers", "initContainers"}) {
      all[pod + list] = by({{"name"}});
      all[pod + list + "[].env"] = by({{"name"}});
      all[pod + list + "[].env.valueFrom.fieldRef"] = kOne;
      all[pod + list + "[].env.valueFrom.secretKeyRef"] = kOne;
      all[pod + list + "[].ports"] = by({{"containerPort"}, {"protocol", "TCP"}});
      all[pod + list + "[].volumeMounts"] = by({{"mountPath"}});
    }
  }
  return all;
}

}  // namespace

const ApiType* find_api_type(const kube::ResourceType& type) {
  const auto found = std::ranges::find(types(), type, &ApiType::type);
  return found == types().end() ? nullptr : &*found;
}

const Structure& structure_at(std::string_view path, bool is_list) {
  static const auto all = structures();
  static const Structure deep{};
  const auto found = all.find(path);
  if (found != all.end()) return found->second;
  return is_list ? kOne : deep;
}

}  // namespace pgc::test
