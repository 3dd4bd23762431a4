#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"
#include "shared/reconcile/observed.h"

namespace pgc::reconcile {
namespace {

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

const kube::Json* condition(const kube::Object& pod, std::string_view type) {
  const kube::Json* conditions = kube::find_at(pod.json(), {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return nullptr;
  const auto found = std::ranges::find_if(
      *conditions, [&](const kube::Json& one) { return kube::string_at(one, {"type"}) == type; });
  return found == conditions->end() ? nullptr : &*found;
}

bool is_ready(const kube::Object& pod) {
  const kube::Json* ready = condition(pod, "Ready");
  return ready != nullptr && kube::string_at(*ready, {"status"}) == "True";
}

// Why the pod does not run, in the words of the scheduler or the kubelet.
std::string blocked_by(const kube::Object& pod) {
  const kube::Json* scheduled = condition(pod, "PodScheduled");
  if (scheduled != nullptr && kube::string_at(*scheduled, {"status"}) == "False") {
    return "cannot be scheduled: " + std::string(kube::string_at(*scheduled, {"message"}));
  }
  const kube::Json* containers = kube::find_at(pod.json(), {"status", "containerStatuses"});
  if (containers == nullptr || !containers->is_array()) return "";
  for (const kube::Json& container : *containers) {
    const std::string_view reason = kube::string_at(container, {"state", "waiting", "reason"});
    if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") continue;
    return "container " + std::string(kube::string_at(container, {"name"})) + ": " +
           std::string(reason);
  }
  return "";
}

// Patroni 4 says `running` of every member that serves, and of a replica in `replication_state`
// whether it streams.
std::string state_of(const kube::Json& published) {
  const std::string_view replication = kube::string_at(published, {"replication_state"});
  const std::string_view state = kube::string_at(published, {"state"});
  return std::string(state == "running" && !replication.empty() ? replication : state);
}

Member member_of(const kube::Object& pod, const Names& names) {
  const kube::Json published =
      kube::Json::parse(pod.annotation("status"), nullptr, /*allow_exceptions=*/false);
  const kube::Json report =
      kube::Json::parse(pod.annotation(kReportAnnotation), nullptr, /*allow_exceptions=*/false);
  Member member;
  member.data_free = kube::int_at(report, {"data", "freeBytes"});
  member.data_total = kube::int_at(report, {"data", "totalBytes"});
  member.instance = pod.label(kInstanceLabel);
  member.number = names.instance_number(member.instance);
  member.pod = pod.name();
  member.node = kube::string_at(pod.json(), {"spec", "nodeName"});
  member.role = pod.label(kRoleLabel);
  member.state = state_of(published);
  member.timeline = kube::int_at(published, {"timeline"});
  member.position = kube::int_at(published, {"xlog_location"});
  member.ready = is_ready(pod);
  member.blocked = blocked_by(pod);
  member.terminating = pod.being_deleted();
  const kube::Json* pending = kube::find_at(published, {"pending_restart"});
  member.pending_restart = pending != nullptr && *pending == true;
  return member;
}

}  // namespace

const kube::Object* Observed::find(const kube::ResourceType& type, const std::string& name) const {
  const auto found = objects.find({type, cluster.ns, name});
  return found == objects.end() ? nullptr : &found->second;
}

std::vector<const kube::Object*> Observed::all(const kube::ResourceType& type) const {
  std::vector<const kube::Object*> result;
  for (const auto& [ref, object] : objects) {
    if (ref.type == type) result.push_back(&object);
  }
  return result;
}

bool Member::healthy() const {
  if (!ready || terminating) return false;
  return role == kPrimary ? state == "running" : state == "streaming";
}

const Member* Topology::primary() const {
  const auto found = std::ranges::find(members, leader, &Member::pod);
  return found != members.end() && found->role == kPrimary ? &*found : nullptr;
}

Topology topology_of(const Observed& observed) {
  const Names names{observed.cluster.name};
  Topology topology;
  for (const kube::Object* pod : observed.all(kube::kPods)) {
    Member member = member_of(*pod, names);
    if (member.number > 0) topology.members.push_back(std::move(member));
  }
  std::ranges::sort(topology.members, {}, &Member::number);
  if (const auto* leader = observed.find(kube::kConfigMaps, names.patroni_object("leader"))) {
    topology.leader = leader->annotation("leader");
    topology.leader_position = number(leader->annotation("optime"));
  }
  if (const auto* config = observed.find(kube::kConfigMaps, names.patroni_object("config"))) {
    topology.system_identifier = config->annotation("initialize");
  }
  if (const Member* primary = topology.primary()) topology.leader_timeline = primary->timeline;
  return topology;
}

}  // namespace pgc::reconcile
