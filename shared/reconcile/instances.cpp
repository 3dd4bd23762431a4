// The members: one StatefulSet and one volume each, so that any single one can be removed, resized,
// restarted or started alone. Scale out fills gaps from below; scale in takes an unhealthy replica
// first, else the highest number, and never the leader.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"
#include "shared/reconcile/record.h"

namespace pgc::reconcile {
namespace {

constexpr std::chrono::seconds kSoon{5};

std::set<int> existing_instances(const Context& context) {
  std::set<int> numbers;
  for (const kube::Object* set : context.observed.all(kube::kStatefulSets)) {
    const int number = context.names.instance_number(set->name());
    if (number > 0 && !set->being_deleted()) numbers.insert(number);
  }
  return numbers;
}

const Member* member(const Context& context, int number) {
  const auto found = std::ranges::find(context.topology.members, number, &Member::number);
  return found == context.topology.members.end() ? nullptr : &*found;
}

// Most dispensable first. The leader is not among them.
std::vector<int> dispensable(const Context& context, const std::set<int>& existing) {
  std::vector<int> candidates;
  for (const int number : existing) {
    if (context.names.pod(number) != context.topology.leader) candidates.push_back(number);
  }
  const auto healthy = [&](int number) {
    const Member* known = member(context, number);
    return known != nullptr && known->healthy();
  };
  std::ranges::sort(candidates,
                    [&](int a, int b) { return healthy(a) != healthy(b) ? healthy(b) : a > b; });
  return candidates;
}

// While nobody leads, nobody can be told to be dispensable.
std::set<int> without_dispensable(const Context& context, std::set<int> kept, Plan& plan) {
  const auto wanted = static_cast<std::size_t>(context.cluster().replicas);
  if (context.topology.primary() == nullptr) {
    plan.look_again = kSoon;
    return kept;
  }
  for (const int number : dispensable(context, kept)) {
    if (kept.size() == wanted) break;
    kept.erase(number);
  }
  return kept;
}

// The member that must lead before any other starts: the last primary, while Patroni has no state
// of this cluster. 0: none, all may start.
int first_to_start(const Context& context) {
  if (!context.topology.system_identifier.empty()) return 0;
  const auto record = last_record(context.observed);
  if (!record) return 0;
  const int number = context.names.instance_number(record->primary);
  const bool there = context.observed.find(kube::kPersistentVolumeClaims,
                                           context.names.data_volume(number)) != nullptr;
  return there ? number : 0;
}

std::set<int> with_gaps_filled(const Context& context, std::set<int> kept) {
  if (const int first = first_to_start(context); first > 0) {
    kept.insert(first);
    return kept;
  }
  const auto wanted = static_cast<std::size_t>(context.cluster().replicas);
  for (int number = 1; kept.size() < wanted; ++number) kept.insert(number);
  return kept;
}

// The class of a volume never changes: the installation's choice is for new ones.
std::string storage_class(const Context& context, const std::string& claim) {
  const kube::Object* live = context.observed.find(kube::kPersistentVolumeClaims, claim);
  if (live == nullptr) return context.resolved.storage_class;
  return std::string(kube::string_at(live->json(), {"spec", "storageClassName"}));
}

void volume(const Context& context, int number, Plan& plan) {
  const std::string name = context.names.data_volume(number);
  kube::Json claim = skeleton(context.observed, kube::kPersistentVolumeClaims, name, Owned::kNo);
  claim["metadata"]["labels"][std::string(kInstanceLabel)] = context.names.instance(number);
  claim["spec"] = {
      {"accessModes", {"ReadWriteOnce"}},
      {"resources",
       {{"requests", {{"storage", stored_quantity(context.cluster().storage.size)}}}}}};
  put_record(context, claim);
  kube::Json settled = kube::Json::object();
  if (const std::string chosen = storage_class(context, name); !chosen.empty()) {
    settled["spec"]["storageClassName"] = chosen;
  }
  apply(context.observed, kube::kPersistentVolumeClaims, std::move(claim), plan, &settled);
}

void instance(const Context& context, int number, const kube::Json& common, Plan& plan) {
  const std::string name = context.names.instance(number);
  kube::Json set = skeleton(context.observed, kube::kStatefulSets, name, Owned::kYes);
  set["metadata"]["labels"][std::string(kInstanceLabel)] = name;
  set["spec"] = {
      {"replicas", 1},
      {"serviceName", context.names.pods_service()},
      {"podManagementPolicy", "Parallel"},
      {"updateStrategy", {{"type", "OnDelete"}}},
      {"selector",
       {{"matchLabels", {{kClusterLabel, context.names.cluster}, {kInstanceLabel, name}}}}},
      {"template", pod_template(context, common, number)}};
  apply(context.observed, kube::kStatefulSets, std::move(set), plan);
}

void remove_instance(const Context& context, int number, Plan& plan) {
  const std::string name = context.names.instance(number);
  const kube::Object* set = context.observed.find(kube::kStatefulSets, name);
  plan.actions.push_back(removal_of(kube::kStatefulSets, *set, "scaled in"));
  plan.events.push_back(
      {.reason = "ScaledIn",
       .action = "Scale",
       .note =
           "Removed instance " + name + ", its volume is " +
           (context.cluster().storage.when_scaled == schema::RetentionPolicy::kDelete ? "deleted"
                                                                                      : "kept")});
}

// Volumes of members that are gone, where the policy says so: only while a primary serves, and only
// once no pod uses them.
void remove_left_volumes(const Context& context, const std::set<int>& kept, Plan& plan) {
  if (context.cluster().storage.when_scaled != schema::RetentionPolicy::kDelete) return;
  if (context.topology.primary() == nullptr) return;
  for (const kube::Object* claim : context.observed.all(kube::kPersistentVolumeClaims)) {
    const int number = context.names.instance_number(claim->label(kInstanceLabel));
    if (number == 0 || kept.contains(number) || claim->being_deleted()) continue;
    if (context.observed.find(kube::kStatefulSets, context.names.instance(number)) != nullptr ||
        member(context, number) != nullptr) {
      continue;
    }
    plan.actions.push_back(removal_of(kube::kPersistentVolumeClaims, *claim,
                                      "its instance was scaled in and whenScaled is Delete"));
  }
}

void announce_new(const Context& context, const std::set<int>& existing, int number, Plan& plan) {
  if (existing.contains(number)) return;
  plan.events.push_back({.reason = existing.empty() ? "Creating" : "ScaledOut",
                         .action = existing.empty() ? "Create" : "Scale",
                         .note = "Adding instance " + context.names.instance(number)});
}

}  // namespace

void plan_instances(const Context& context, Plan& plan) {
  const std::set<int> existing = existing_instances(context);
  const bool too_many = existing.size() > static_cast<std::size_t>(context.cluster().replicas);
  const std::set<int> kept =
      too_many ? without_dispensable(context, existing, plan) : with_gaps_filled(context, existing);
  const kube::Json common = common_pod_template(context);
  for (const int number : kept) {
    volume(context, number, plan);
    instance(context, number, common, plan);
    announce_new(context, existing, number, plan);
  }
  for (const int number : existing) {
    if (!kept.contains(number)) remove_instance(context, number, plan);
  }
  remove_left_volumes(context, kept, plan);
}

}  // namespace pgc::reconcile
