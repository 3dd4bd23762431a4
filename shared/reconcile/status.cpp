// What users see: .status in words of Kubernetes, and an Event where something has changed. Written
// only when it differs from what stands; a condition's time moves only with its status.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/kube/time.h"
#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"

namespace pgc::reconcile {
namespace {

struct Condition {
  std::string type;
  bool holds;
  std::string reason;
  std::string message;
};

// What the conditions and the phase are told from.
struct Tally {
  int wanted = 0;
  int existing = 0;  // with a StatefulSet, or with a pod that has not gone yet
  int healthy = 0;   // of those that stay
  bool primary = false;
  bool initialized = false;
  bool was_ready = false;  // the cluster has been Ready at some time
  std::string old_phase;
};

const kube::Json* condition_in(const kube::Json& status, const std::string& type) {
  const kube::Json* list = kube::find_at(status, {"conditions"});
  if (list == nullptr || !list->is_array()) return nullptr;
  for (const kube::Json& condition : *list) {
    if (kube::string_at(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

kube::Json old_status(const Observed& observed) {
  const kube::Json* status = kube::find_at(observed.resource.json(), {"status"});
  return status == nullptr ? kube::Json::object() : *status;
}

kube::Json rendered(const Condition& condition, const Observed& observed, const kube::Json& old,
                    TimePoint now) {
  const std::string_view status = condition.holds ? "True" : "False";
  const kube::Json* before = condition_in(old, condition.type);
  const bool unchanged = before != nullptr && kube::string_at(*before, {"status"}) == status;
  return {{"type", condition.type},
          {"status", status},
          {"reason", condition.reason},
          {"message", condition.message},
          {"observedGeneration", observed.cluster.generation},
          {"lastTransitionTime", unchanged
                                     ? std::string(kube::string_at(*before, {"lastTransitionTime"}))
                                     : kube::rfc3339(now)}};
}

Tally tally(const Context& context, const kube::Json& old) {
  Tally result;
  result.wanted = context.cluster().replicas;
  std::set<std::string_view> existing;
  for (const kube::Object* set : context.observed.all(kube::kStatefulSets)) {
    if (!set->being_deleted()) existing.insert(set->name());
  }
  const auto healthy = std::ranges::count_if(context.topology.members, [&](const Member& member) {
    return member.healthy() && existing.contains(member.instance);
  });
  for (const Member& member : context.topology.members) existing.insert(member.instance);
  result.existing = static_cast<int>(existing.size());
  result.healthy = static_cast<int>(healthy);
  result.old_phase = kube::string_at(old, {"phase"});
  const Member* primary = context.topology.primary();
  result.primary = primary != nullptr && primary->ready;  // else my-db-rw leads nowhere
  result.initialized = !context.topology.system_identifier.empty();
  const kube::Json* ready = condition_in(old, "Ready");
  result.was_ready = ready != nullptr && (kube::string_at(*ready, {"status"}) == "True" ||
                                          kube::string_at(*ready, {"reason"}) != "Creating");
  return result;
}

bool is_ready(const Tally& t) {
  return t.primary && t.healthy == t.wanted && t.existing == t.wanted;
}

// One word, which is also the reason of Ready and the STATUS column.
std::string phase(const Tally& t) {
  if (is_ready(t)) return "Ready";
  if (!t.initialized || !t.was_ready) return "Creating";
  if (!t.primary) return "NoPrimary";
  if (t.existing > t.wanted) return "ScalingIn";
  if (t.existing < t.wanted || t.old_phase == "ScalingOut") return "ScalingOut";
  return "Recovering";
}

std::string counted(const Tally& t) {
  if (t.existing > t.wanted) {
    return std::to_string(t.existing - t.wanted) + " of " + std::to_string(t.existing) +
           " instances are leaving";
  }
  return std::to_string(t.healthy) + " of " + std::to_string(t.wanted) + " instances are ready";
}

std::string excuse(const Member& member) {
  if (member.terminating) return "is terminating";
  if (!member.blocked.empty()) return "waits (" + member.blocked + ")";
  if (member.state.empty()) return "has not started yet";
  return "is " + member.state + (member.ready ? "" : ", not ready");
}

// Which members keep the cluster from being ready, and what each of them does meanwhile.
std::string not_ready(const Context& context, const Tally& t) {
  std::string text = counted(t);
  for (const Member& member : context.topology.members) {
    if (member.healthy()) continue;
    text += "; " + member.instance + " " + excuse(member);
  }
  return text;
}

std::vector<Condition> conditions(const Context& context, const Tally& t) {
  const bool ready = is_ready(t);
  const bool replicas_ready = t.healthy - (t.primary ? 1 : 0) >= t.wanted - 1;
  const std::string detail = ready ? counted(t) : not_ready(context, t);
  const bool failed = context.observed.last_error.has_value();
  return {
      {"Ready", ready, phase(t), detail},
      {"PrimaryAvailable", t.primary, t.primary ? "PrimaryRuns" : "NoPrimary",
       t.primary ? context.topology.leader + " takes writes"
                 : "no member is a ready primary; writes are refused until one is"},
      {"ReplicasReady", replicas_ready, replicas_ready ? "AllStream" : "NotAllStream", detail},
      {"Progressing", !ready, ready ? "Converged" : phase(t), detail},
      {"Degraded", failed, failed ? "WriteFailed" : "AsExpected",
       context.observed.last_error.value_or("")},
  };
}

// WAL comes in bytes every few seconds; a status that followed would never stand still.
constexpr std::int64_t kLagStep = 1 << 20;

kube::Json instance(const Context& context, const Member& member) {
  kube::Json result = {{"name", member.instance}, {"pod", member.pod}, {"ready", member.ready}};
  if (!member.role.empty()) result["role"] = member.role;
  if (!member.state.empty()) result["state"] = member.state;
  if (!member.node.empty()) result["node"] = member.node;
  if (member.timeline > 0) result["timeline"] = member.timeline;
  if (member.pending_restart) result["pendingRestart"] = true;
  if (member.data_total > 0) {
    result["dataVolume"] = {{"freeBytes", member.data_free}, {"totalBytes", member.data_total}};
  }
  if (member.role == kReplica && member.position > 0 && context.topology.leader_position > 0) {
    const auto lag = std::max<std::int64_t>(0, context.topology.leader_position - member.position);
    result["lagBytes"] = lag / kLagStep * kLagStep;
  }
  return result;
}

kube::Json document(const Observed& observed, kube::Json status) {
  return {{"apiVersion", kube::kPostgresClusters.api_version()},
          {"kind", kube::kPostgresClusters.kind},
          {"metadata",
           {{"name", observed.cluster.name},
            {"namespace", observed.cluster.ns},
            {"uid", observed.cluster.uid}}},  // never the status of a namesake that came after it
          {"status", std::move(status)}};
}

kube::Json status_of(const Context& context, const Tally& t, const kube::Json& old) {
  const Topology& topology = context.topology;
  kube::Json status = {{"observedGeneration", context.cluster().generation},
                       {"phase", phase(t)},
                       {"replicas", t.existing},
                       {"readyReplicas", t.healthy},
                       {"selector", context.names.pod_selector()},
                       {"version", std::to_string(context.cluster().version)},
                       {"image", context.resolved.image},
                       {"tlsMode", schema::to_string(context.resolved.tls)},
                       {"instances", kube::Json::array()},
                       {"conditions", kube::Json::array()}};
  if (!topology.leader.empty()) status["currentPrimary"] = topology.leader;
  if (topology.leader_timeline > 0) status["timeline"] = topology.leader_timeline;
  if (t.initialized) status["systemIdentifier"] = topology.system_identifier;
  for (const Member& member : topology.members) {
    status["instances"].push_back(instance(context, member));
  }
  for (const Condition& condition : conditions(context, t)) {
    status["conditions"].push_back(rendered(condition, context.observed, old, context.now));
  }
  return status;
}

void announce(const kube::Json& old, const kube::Json& fresh, Plan& plan) {
  const std::string_view before = kube::string_at(old, {"currentPrimary"});
  const std::string_view after = kube::string_at(fresh, {"currentPrimary"});
  if (before != after && !after.empty()) {
    plan.events.push_back(
        {.warning = false,
         .reason = "PrimaryChanged",
         .action = "Observe",
         .note = std::string(after) + " is the primary now" +
                 (before.empty() ? "" : ", before it was " + std::string(before))});
  }
  const std::string_view phase = kube::string_at(fresh, {"phase"});
  if (phase == kube::string_at(old, {"phase"})) return;
  const std::string_view detail = kube::string_at(*condition_in(fresh, "Ready"), {"message"});
  plan.events.push_back({.warning = phase == "NoPrimary",
                         .reason = std::string(phase),
                         .action = "Observe",
                         .note = std::string(detail)});
}

}  // namespace

void plan_status(const Context& context, Plan& plan) {
  const kube::Json old = old_status(context.observed);
  const kube::Json fresh = status_of(context, tally(context, old), old);
  if (fresh == old) return;
  announce(old, fresh, plan);
  plan.status = kube::Object(document(context.observed, fresh));
}

Plan refuse(const Observed& observed, const std::string& reason, const std::string& message,
            TimePoint now) {
  Plan plan;
  const kube::Json old = old_status(observed);
  kube::Json fresh = old;
  fresh["observedGeneration"] = observed.cluster.generation;
  fresh["phase"] = reason;
  fresh["conditions"] = kube::Json::array();
  for (const Condition& condition :
       {Condition{"Ready", false, reason, message}, Condition{"Degraded", true, reason, message}}) {
    fresh["conditions"].push_back(rendered(condition, observed, old, now));
  }
  if (fresh == old) return plan;
  plan.events.push_back(
      {.warning = true, .reason = reason, .action = "Reconcile", .note = message});
  plan.status = kube::Object(document(observed, std::move(fresh)));
  return plan;
}

}  // namespace pgc::reconcile
