// What belongs to the cluster and nobody wants any more: objects that another version of the
// operator made, or that an earlier spec asked for. Kubernetes' garbage collector waits for the end
// of the cluster; they go now.
//
// Only what an apply of ours has made for this very cluster: its controller is this UID, it has our
// labels, and the hash of our intent. Never volumes and Secrets, which have no owner, nor Patroni's
// objects; and no StatefulSet, for there may be a database in its pod.
#include <algorithm>
#include <array>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"

namespace pgc::reconcile {
namespace {

constexpr std::array kReplaceable = {kube::kServices,        kube::kConfigMaps,
                                     kube::kRoleBindings,    kube::kRoles,
                                     kube::kServiceAccounts, kube::kPodDisruptionBudgets};

bool made_by_us(const Context& context, const kube::Object& object) {
  return !context.cluster().uid.empty() && object.controller_uid() == context.cluster().uid &&
         object.label(kManagedByLabel) == kManagedBy &&
         object.label(kClusterLabel) == context.names.cluster &&
         !object.annotation(kIntentAnnotation).empty();
}

bool removed_already(const Plan& plan, const kube::ObjectRef& ref) {
  return std::ranges::any_of(plan.actions, [&](const Action& action) {
    const auto* removal = std::get_if<Delete>(&action);
    return removal != nullptr && removal->ref == ref;
  });
}

}  // namespace

void plan_orphans(const Context& context, Plan& plan) {
  for (const auto& [ref, object] : context.observed.objects) {
    if (std::ranges::find(kReplaceable, ref.type) == kReplaceable.end()) continue;
    if (plan.wanted.contains(ref) || object.being_deleted() || removed_already(plan, ref)) continue;
    if (!made_by_us(context, object)) continue;
    // Who takes it over keeps it.
    plan.actions.push_back(
        removal_as_seen(ref.type, object, "nothing of the cluster wants it any more"));
    plan.events.push_back({.reason = "Removed",
                           .action = "CleanUp",
                           .note = "Removed " + std::string(ref.type.plural) + " " + ref.name +
                                   ", which nothing of the cluster wants any more"});
  }
}

}  // namespace pgc::reconcile
