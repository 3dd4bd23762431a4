// Pods that cannot run as they were made: no node has room, an image is not to be had, a container
// crashes. A StatefulSet with the strategy OnDelete leaves such a pod alone even when its template
// is mended, so the pod is deleted once the template is another one than it was made of.
//
// What runs is never touched: a pod goes only while it still is in the very state that was seen,
// and the leader's only when no other is left to replace.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"

namespace pgc::reconcile {
namespace {

// Made of another template than its StatefulSet has now.
bool outdated(const kube::Object& pod, const kube::Object& set) {
  return pod.annotation(kTemplateAnnotation) !=
         kube::string_at(set.json(),
                         {"spec", "template", "metadata", "annotations", kTemplateAnnotation});
}

// Of the members that stay: one that is leaving goes with its StatefulSet.
std::vector<const Member*> hopeless(const Context& context) {
  std::vector<const Member*> members;
  for (const Member& member : context.topology.members) {
    if (member.blocked.empty() || member.terminating) continue;
    const kube::Object* set = context.observed.find(kube::kStatefulSets, member.instance);
    if (set == nullptr || set->being_deleted()) continue;
    if (outdated(*context.observed.find(kube::kPods, member.pod), *set)) members.push_back(&member);
  }
  return members;
}

}  // namespace

void plan_replacement(const Context& context, Plan& plan) {
  const auto members = hopeless(context);
  for (const Member* member : members) {
    if (member->pod == context.topology.leader && members.size() > 1) continue;
    const kube::Object* pod = context.observed.find(kube::kPods, member->pod);
    plan.actions.push_back(removal_as_seen(
        kube::kPods, *pod, "it waits (" + member->blocked + "), and its template is mended"));
    plan.events.push_back({.reason = "Replaced",
                           .action = "Replace",
                           .note = "Replaced pod " + member->pod + ", which waited (" +
                                   member->blocked + ") and was made of an older template"});
  }
}

}  // namespace pgc::reconcile
