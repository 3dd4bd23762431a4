// What is kept of each type, and for what. Whoever lets the plan read or apply another field adds
// it here; a test plans the same worlds with whole and with such objects, and sees a difference.
#include "shared/json/shape.h"
#include "shared/observe/observe.h"
#include "shared/reconcile/names.h"

namespace pgc::observe {
namespace {

using json::Member;
using json::Shape;

Shape only(std::vector<Member> members) {
  return {.others = false, .members = std::move(members)};
}

Shape all_but(std::vector<std::string> names) {
  Shape shape;
  for (std::string& name : names) shape.members.push_back({std::move(name), false, {}});
  return shape;
}

// Ours, and what Patroni publishes that the plan reads. Its renewTime, slots and history are not
// among them, nor what kubectl and others note for themselves.
Shape annotations() {
  return only({{std::string(reconcile::kIntentAnnotation)},
               {"db.example.com/last-primary"},
               {std::string(reconcile::kReportAnnotation)},
               {std::string(reconcile::kTemplateAnnotation)},
               {"status"},
               {"leader"},
               {"optime"},
               {"config"},
               {"initialize"}});
}

// ownerReferences: whose an object is. Labels are all kept: what we want of them is compared.
Shape metadata() {
  return only({{"name"},
               {"namespace"},
               {"uid"},
               {"resourceVersion"},
               {"generation"},
               {"deletionTimestamp"},
               {"labels"},
               {"ownerReferences"},
               {"annotations", true, annotations()}});
}

Shape object(std::vector<Member> members) {
  Shape shape = only({{"apiVersion"}, {"kind"}, {"metadata", true, metadata()}});
  for (Member& member : members) shape.members.push_back(std::move(member));
  return shape;
}

// The spec that we apply; its status is not read, for the pods say more. What the API server adds
// to a pod template and nobody here sets is left out.
Shape stateful_set() {
  Shape pod = all_but({"restartPolicy", "dnsPolicy", "schedulerName", "serviceAccount"});
  pod.members.push_back(
      {"containers", true, all_but({"terminationMessagePath", "terminationMessagePolicy"})});
  return object(
      {{"spec", true,
        only({{"replicas"},
              {"serviceName"},
              {"podManagementPolicy"},
              {"updateStrategy"},
              {"selector"},
              {"template", true, Shape{.others = true, .members = {{"spec", true, pod}}}}})}});
}

// Pods are the StatefulSet's: of them only where they run, whether they are ready, and what keeps
// them from running.
Shape pod() {
  const Shape waiting = only({{"waiting", true, only({{"reason"}})}});
  return object(
      {{"spec", true, only({{"nodeName"}})},
       {"status", true,
        only({{"conditions", true, only({{"type"}, {"status"}, {"message"}})},
              {"containerStatuses", true, only({{"name"}, {"state", true, waiting}})}})}});
}

Shape volume_claim() {
  return object({{"spec", true,
                  only({{"accessModes"}, {"resources"}, {"storageClassName"}, {"volumeName"}})}});
}

Shape service() {
  return object(
      {{"spec", true,
        only({{"type"}, {"selector"}, {"ports"}, {"clusterIP"}, {"publishNotReadyAddresses"}})}});
}

// The resource itself: all but notes of the API server and of kubectl.
Shape cluster() {
  Shape meta = all_but({"managedFields"});
  meta.members.push_back(
      {"annotations", true, all_but({"kubectl.kubernetes.io/last-applied-configuration"})});
  return {.others = true, .members = {{"metadata", true, meta}}};
}

}  // namespace

const json::Shape& shape_of(const kube::ResourceType& type) {
  static const std::map<kube::ResourceType, Shape> shapes = {
      {kube::kPostgresClusters, cluster()},
      {kube::kStatefulSets, stateful_set()},
      {kube::kPods, pod()},
      {kube::kPersistentVolumeClaims, volume_claim()},
      {kube::kConfigMaps, object({{"data"}})},
      {kube::kServices, service()},
      {kube::kServiceAccounts, object({})},
      {kube::kRoles, object({{"rules"}})},
      {kube::kRoleBindings, object({{"roleRef"}, {"subjects"}})},
      {kube::kPodDisruptionBudgets,
       object({{"spec", true, only({{"minAvailable"}, {"selector"}})}})}};
  const auto found = shapes.find(type);
  return found == shapes.end() ? json::whole() : found->second;
}

}  // namespace pgc::observe
