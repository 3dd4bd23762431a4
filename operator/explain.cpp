#include "operator/explain.h"

#include <nlohmann/json.hpp>

#include "shared/kube/time.h"

namespace pgc {
namespace {

using Json = nlohmann::ordered_json;

Json member(const reconcile::Member& member) {
  Json result = {{"pod", member.pod},     {"role", member.role},
                 {"state", member.state}, {"timeline", member.timeline},
                 {"ready", member.ready}, {"healthy", member.healthy()}};
  if (!member.blocked.empty()) result["waitsFor"] = member.blocked;
  if (member.terminating) result["terminating"] = true;
  return result;
}

Json topology(const reconcile::Observed& observed) {
  const reconcile::Topology topology = reconcile::topology_of(observed);
  Json result = {{"leader", topology.leader},
                 {"systemIdentifier", topology.system_identifier},
                 {"members", Json::array()}};
  for (const auto& one : topology.members) result["members"].push_back(member(one));
  return result;
}

Json object(const kube::ObjectRef& ref, const kube::Object& object) {
  Json result = {{"object", ref.to_string()},
                 {"uid", object.uid()},
                 {"resourceVersion", object.resource_version()}};
  if (object.being_deleted()) result["deleting"] = true;
  return result;
}

Json objects(const reconcile::Observed& observed) {
  Json list = Json::array();
  for (const auto& [ref, one] : observed.objects) list.push_back(object(ref, one));
  return list;
}

Json lines(const std::string& text) {
  Json list = Json::array();
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    list.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

Json report(const std::optional<Report>& turn) {
  if (!turn) return nullptr;
  return {{"time", kube::rfc3339(turn->at)},
          {"reconcile", turn->id},
          {"wokenBy", turn->why},
          {"did", lines(turn->did)},
          {"result", turn->result},
          {"milliseconds", turn->took.count()}};
}

Json next(const Belief& belief) {
  if (!belief.broken.empty()) return {{"refused", belief.broken}};
  Json actions = Json::array();
  for (const auto& action : belief.next.actions) actions.push_back(reconcile::describe(action));
  return {{"actions", actions}, {"status", belief.next.status.has_value()}};
}

Json queue(const Schedule::State& state, Schedule::TimePoint now) {
  Json result = {{"waiting", state.waiting},
                 {"working", state.taken},
                 {"failures", state.failures},
                 {"repeats", state.repeats}};
  if (state.alarm) {
    using std::chrono::duration_cast;
    using std::chrono::seconds;
    result["nextLookInSeconds"] = duration_cast<seconds>(*state.alarm - now).count();
  }
  return result;
}

}  // namespace

std::string explained(const Belief& belief, Schedule::TimePoint now) {
  const kube::Object& resource = belief.observed.resource;
  Json document = {
      {"cluster", belief.key.ns + "/" + belief.key.name},
      {"uid", resource.uid()},
      {"resourceVersion", resource.resource_version()},
      {"generation", resource.generation()},
      {"observedGeneration", kube::int_at(resource.json(), {"status", "observedGeneration"})},
      {"phase", kube::string_at(resource.json(), {"status", "phase"})},
      {"topology", topology(belief.observed)},
      {"objects", objects(belief.observed)},
      {"secrets", belief.observed.secrets},
      {"next", next(belief)},
      {"queue", queue(belief.queue, now)},
      {"lastTurn", report(belief.diary.last)},
      {"lastDeed", report(belief.diary.last_deed)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pgc
