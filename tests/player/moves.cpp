#include "tests/player/moves.h"

#include <algorithm>
#include <set>

#include "shared/kube/time.h"

namespace pgc::player {
namespace {

using kube::Json;
using kube::Object;
using kube::ObjectRef;
using Kind = Move::Kind;

const std::string kRole(reconcile::kRoleLabel);

Json annotations(const Json& values) {
  return {{"metadata", {{"annotations", values}}}};
}

ObjectRef ref(const Scene& scene, const kube::ResourceType& type, const std::string& name) {
  return {type, scene.ns, name};
}

std::string second_of(Moment now) {
  return kube::rfc3339(std::chrono::floor<std::chrono::seconds>(now));
}

// A write-ahead log grows; so much of it is enough to differ from one heartbeat to the next.
std::int64_t position_at(Moment now) {
  return now.time_since_epoch().count() / 1000;
}

// --- the StatefulSet controller ---

Json pod_of(const Object& set, const std::string& name) {
  Json pod = set.json()["spec"]["template"];
  Json& metadata = pod["metadata"];
  metadata["name"] = name;
  metadata["namespace"] = set.ns();
  metadata["finalizers"] = {kFinalizer};
  metadata["labels"]["statefulset.kubernetes.io/pod-name"] = name;
  metadata["labels"]["apps.kubernetes.io/pod-index"] = "0";
  metadata["labels"]["controller-revision-hash"] = std::string(set.name()) + "-1";
  metadata["ownerReferences"] = Json::array({{{"apiVersion", "apps/v1"},
                                              {"kind", "StatefulSet"},
                                              {"name", set.name()},
                                              {"uid", set.uid()},
                                              {"controller", true},
                                              {"blockOwnerDeletion", true}}});
  pod["spec"]["hostname"] = name;
  pod["spec"]["subdomain"] = kube::string_at(set.json(), {"spec", "serviceName"});
  return pod;
}

bool volumes_are_there(const Scene& scene, const Object& set) {
  const Json* volumes = kube::find_at(set.json(), {"spec", "template", "spec", "volumes"});
  if (volumes == nullptr || !volumes->is_array()) return true;
  return std::ranges::all_of(*volumes, [&](const Json& volume) {
    const std::string claim(kube::string_at(volume, {"persistentVolumeClaim", "claimName"}));
    return claim.empty() || scene.find(kube::kPersistentVolumeClaims, claim) != nullptr;
  });
}

Json set_status(const Object& set, bool ready) {
  const int count = ready ? 1 : 0;
  return {{"status",
           {{"observedGeneration", set.generation()},
            {"replicas", 1},
            {"currentReplicas", 1},
            {"readyReplicas", count},
            {"availableReplicas", count}}}};
}

bool is_running(const Object* pod) {
  return pod != nullptr && !pod->being_deleted() &&
         kube::string_at(pod->json(), {"status", "phase"}) == "Running";
}

void control_stateful_sets(const Scene& scene, std::vector<Move>& moves) {
  for (const Object* set : scene.all(kube::kStatefulSets)) {
    if (set->being_deleted()) continue;
    const std::string name = std::string(set->name()) + "-0";
    const Object* pod = scene.find(kube::kPods, name);
    if (pod == nullptr && volumes_are_there(scene, *set)) {
      moves.push_back({Kind::kCreate, ref(scene, kube::kPods, name), pod_of(*set, name)});
    }
    const bool ready = is_running(pod);
    const bool told =
        kube::int_at(set->json(), {"status", "readyReplicas"}) == (ready ? 1 : 0) &&
        kube::int_at(set->json(), {"status", "observedGeneration"}) == set->generation();
    if (pod == nullptr || told) continue;
    moves.push_back({Kind::kPatch, ref(scene, kube::kStatefulSets, std::string(set->name())),
                     set_status(*set, ready), "status"});
  }
}

// --- kubelets ---

std::string address_of(const Object& pod) {
  const std::size_t hash = std::hash<std::string_view>()(pod.uid());
  return "10." + std::to_string(hash % 256) + "." + std::to_string(hash / 256 % 256) + "." +
         std::to_string(hash / 65536 % 254 + 1);
}

Json condition(const char* type, Moment now) {
  return {{"type", type}, {"status", "True"}, {"lastTransitionTime", second_of(now)}};
}

Json running(const Object& pod, Moment now) {
  Json containers = Json::array();
  for (const char* name : {"postgres", "agent"}) {
    containers.push_back({{"name", name},
                          {"image", ""},
                          {"imageID", ""},
                          {"ready", true},
                          {"started", true},
                          {"restartCount", 0},
                          {"state", {{"running", {{"startedAt", second_of(now)}}}}}});
  }
  const std::string address = address_of(pod);
  return {{"status",
           {{"phase", "Running"},
            {"hostIP", "192.0.2.1"},
            {"podIP", address},
            {"podIPs", Json::array({{{"ip", address}}})},
            {"startTime", second_of(now)},
            {"conditions",
             {condition("PodScheduled", now), condition("Initialized", now),
              condition("ContainersReady", now), condition("Ready", now)}},
            {"containerStatuses", containers}}}};
}

Json without_finalizers() {
  return {{"metadata", {{"finalizers", nullptr}}}};
}

// A pod whose StatefulSet has gone is the garbage collector's.
void keep_pods(const Scene& scene, Moment now, std::vector<Move>& moves) {
  std::set<std::string_view> sets;
  for (const Object* set : scene.all(kube::kStatefulSets)) sets.insert(set->uid());
  for (const Object* pod : scene.all(kube::kPods)) {
    const ObjectRef it = ref(scene, kube::kPods, std::string(pod->name()));
    if (pod->being_deleted()) {
      moves.push_back({Kind::kPatch, it, without_finalizers()});
    } else if (!sets.contains(pod->controller_uid())) {
      moves.push_back({Kind::kDelete, it, {{"uid", pod->uid()}}});
    } else if (!is_running(pod)) {
      moves.push_back({Kind::kPatch, it, running(*pod, now), "status"});
    }
  }
}

// --- Patroni ---

std::vector<const Object*> members(const Scene& scene) {
  std::vector<const Object*> result = scene.all(kube::kPods);
  std::erase_if(result, [](const Object* pod) { return !is_running(pod); });
  return result;
}

Json patroni_labels(const Scene& scene) {
  return {{reconcile::kClusterLabel, scene.names.cluster},
          {reconcile::kManagedByLabel, reconcile::kManagedBy},
          {reconcile::kPatroniLabel, scene.names.patroni_scope()}};
}

Json patroni_object(const Scene& scene, const std::string& suffix, const Json& values) {
  Json object = annotations(values);
  object["apiVersion"] = "v1";
  object["kind"] = "ConfigMap";
  object["metadata"]["name"] = scene.names.patroni_object(suffix);
  object["metadata"]["namespace"] = scene.ns;
  object["metadata"]["labels"] = patroni_labels(scene);
  return object;
}

// What a member publishes; https://patroni.readthedocs.io/en/latest/kubernetes.html
Json published(const Object& pod, std::string_view role, Moment now) {
  const std::string address(kube::string_at(pod.json(), {"status", "podIP"}));
  Json status = {{"conn_url", "postgres://" + address + ":5432/postgres"},
                 {"api_url", "http://" + address + ":8008/patroni"},
                 {"state", "running"},
                 {"role", role},
                 {"version", "4.0.7"},
                 {"xlog_location", position_at(now)},
                 {"timeline", 1}};
  if (role == reconcile::kReplica) status["replication_state"] = "streaming";
  Json patch = annotations({{"status", status.dump()}});
  patch["metadata"]["labels"][kRole] = role;
  return patch;
}

Json lock(const std::string& leader, Moment now) {
  return {{"leader", leader},
          {"ttl", "20"},
          {"transitions", "0"},
          {"acquireTime", kube::rfc3339_micro(now)},
          {"renewTime", kube::rfc3339_micro(now)},
          {"optime", std::to_string(position_at(now))}};
}

std::string leader_of(const Scene& scene) {
  const Object* lock = scene.find(kube::kConfigMaps, scene.names.patroni_object("leader"));
  return lock == nullptr ? "" : std::string(lock->annotation("leader"));
}

std::string_view role_of(const Object& pod, const std::string& leader) {
  return pod.name() == leader ? reconcile::kPrimary : reconcile::kReplica;
}

// The dynamic configuration begins as the bootstrap section of the members' file says.
void bootstrap(const Scene& scene, std::vector<Move>& moves) {
  const std::string name = scene.names.patroni_object("config");
  const Object* file = scene.find(kube::kConfigMaps, scene.names.patroni_config());
  if (file == nullptr || scene.find(kube::kConfigMaps, name) != nullptr) return;
  const Json yaml = Json::parse(kube::string_at(file->json(), {"data", "patroni.yaml"}), nullptr,
                                /*allow_exceptions=*/false);
  const Json* dcs = kube::find_at(yaml, {"bootstrap", "dcs"});
  const Json config = patroni_object(
      scene, "config",
      {{"initialize", "7412345678901234567"}, {"config", dcs == nullptr ? "{}" : dcs->dump()}});
  moves.push_back({Kind::kCreate, ref(scene, kube::kConfigMaps, name), config});
}

std::string elect(const Scene& scene, const std::string& candidate, Moment now,
                  std::vector<Move>& moves) {
  const ObjectRef it = ref(scene, kube::kConfigMaps, scene.names.patroni_object("leader"));
  const Json values = lock(candidate, now);
  if (scene.objects.contains(it)) {
    moves.push_back({Kind::kPatch, it, annotations(values)});
  } else {
    moves.push_back({Kind::kCreate, it, patroni_object(scene, "leader", values)});
  }
  return candidate;
}

void run_patroni(const Scene& scene, Moment now, std::vector<Move>& moves) {
  const std::vector<const Object*> all = members(scene);
  if (all.empty()) return;
  bootstrap(scene, moves);
  std::string leader = leader_of(scene);
  if (std::ranges::find(all, leader, &Object::name) == all.end()) {
    leader = elect(scene, std::string(all.front()->name()), now, moves);
  }
  for (const Object* pod : all) {
    const std::string_view role = role_of(*pod, leader);
    if (pod->label(kRole) == role && !pod->annotation("status").empty()) continue;
    moves.push_back({Kind::kPatch, ref(scene, kube::kPods, std::string(pod->name())),
                     published(*pod, role, now)});
  }
}

}  // namespace

const Object* Scene::find(const kube::ResourceType& type, const std::string& name) const {
  const auto found = objects.find({type, ns, name});
  return found == objects.end() ? nullptr : &found->second;
}

std::vector<const Object*> Scene::all(const kube::ResourceType& type) const {
  std::vector<const Object*> result;
  for (const auto& [it, object] : objects) {
    if (it.type == type) result.push_back(&object);
  }
  return result;
}

std::vector<Move> next_moves(const Scene& scene, Moment now) {
  std::vector<Move> moves;
  control_stateful_sets(scene, moves);
  keep_pods(scene, now, moves);
  run_patroni(scene, now, moves);
  return moves;
}

std::vector<Move> heartbeat(const Scene& scene, Moment now) {
  std::vector<Move> moves;
  const std::string leader = leader_of(scene);
  for (const Object* pod : members(scene)) {
    if (pod->name() == leader) {
      moves.push_back({Kind::kPatch,
                       ref(scene, kube::kConfigMaps, scene.names.patroni_object("leader")),
                       annotations({{"renewTime", kube::rfc3339_micro(now)},
                                    {"optime", std::to_string(position_at(now))}})});
    }
    moves.push_back({Kind::kPatch, ref(scene, kube::kPods, std::string(pod->name())),
                     published(*pod, role_of(*pod, leader), now)});
  }
  return moves;
}

}  // namespace pgc::player
