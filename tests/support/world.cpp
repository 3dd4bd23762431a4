#include "tests/support/world.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/observe/observe.h"

namespace pgc::test {
namespace {

using kube::Json;
using kube::Object;
using kube::ObjectRef;
using Texts = std::vector<std::string>;

const std::string kRole(reconcile::kRoleLabel);

Json annotations(const Json& values) {
  return {{"metadata", {{"annotations", values}}}};
}

// What Patroni writes into its pod.
Json published(const std::string& role, const std::string& state) {
  const bool replica = role == reconcile::kReplica;
  Json status = {{"state", state}, {"timeline", 1}, {"xlog_location", 1 << 24}};
  if (replica && state == "running") status["replication_state"] = "streaming";
  Json change = annotations({{"status", status.dump()}});
  change["metadata"]["labels"][kRole] = role;
  const char* ready = state == "running" ? "True" : "False";
  change["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", ready}}});
  return change;
}

}  // namespace

World::World(const std::string& spec) {
  create_cluster(spec);
}

ObjectRef World::ref(const kube::ResourceType& type, const std::string& name) const {
  return {type, "shop", name};
}

void World::create_cluster(const std::string& spec) {
  Json document = resource(spec);
  document["metadata"].erase("finalizers");
  document["metadata"].erase("uid");
  server.put(ref(kube::kPostgresClusters, "my-db"), document);
  tell("somebody creates my-db " + spec);
}

// --- the operator ---

std::vector<std::string> World::turn() {
  auto observed = observe::observe(server, server, "shop", "my-db");
  if (!observed) return {};
  const reconcile::Plan plan = plan_of(*observed);
  watch_for_harm(*observed, plan);
  Texts did = lines(plan);
  if (plan.status) did.emplace_back("status");
  for (const std::string& line : did) tell("operator: " + line);
  if (!executor_.run(plan.actions, noon())) tell("operator: crashed on the way");
  if (plan.status && !executor_.write_status(*plan.status)) tell("operator: no status written");
  return did;
}

void World::watch_for_harm(const reconcile::Observed& observed, const reconcile::Plan& plan) {
  if (observed.resource.being_deleted()) return;
  std::set<std::string> sets;
  for (const Object* set : observed.all(kube::kStatefulSets)) sets.emplace(set->name());
  for (const reconcile::Action& action : plan.actions) {
    const auto* gone = std::get_if<reconcile::Delete>(&action);
    if (gone == nullptr) continue;
    const std::string line = reconcile::describe(action);
    if (gone->uid.empty()) harm_.push_back("deletes whatever is there: " + line);
    if (gone->ref.type == kube::kStatefulSets) {
      if (gone->ref.name + "-0" == leader()) harm_.push_back("takes the leader: " + line);
      if (leader().empty()) harm_.push_back("takes a member while nobody leads: " + line);
      sets.erase(gone->ref.name);
      if (sets.size() < static_cast<std::size_t>(observed.cluster.replicas)) {
        harm_.push_back("takes one too many: " + line);
      }
    }
    if (gone->ref.type == kube::kPersistentVolumeClaims) {
      const std::string instance = gone->ref.name.substr(0, gone->ref.name.rfind('-'));
      if (server.has(ref(kube::kPods, instance + "-0")) ||
          server.has(ref(kube::kStatefulSets, instance))) {
        harm_.push_back("takes a volume in use: " + line);
      }
    }
  }
}

// --- the others ---

bool World::move(int choice) {
  if (server.collect_garbage()) {
    tell("the garbage collector has worked");
    return true;
  }
  const std::vector<Move> moves = possible_moves();
  if (moves.empty()) return false;
  moves[static_cast<std::size_t>(choice) % moves.size()]();
  return true;
}

void World::settle() {
  constexpr int kPatience = 300;
  for (int i = 0; i < kPatience; ++i) {
    const bool moved = move();
    if (turn().empty() && !moved) return;
  }
  harm_.emplace_back("does not come to rest");
}

std::vector<World::Move> World::possible_moves() {
  std::vector<Move> moves;
  stateful_set_moves(moves);
  pod_moves(moves);
  volume_moves(moves);
  patroni_moves(moves);
  return moves;
}

void World::stateful_set_moves(std::vector<Move>& moves) {
  for (const Object& set : all(kube::kStatefulSets)) {
    const std::string name(set.name());
    if (server.has(ref(kube::kPods, name + "-0"))) continue;
    const auto volume = server.get(ref(kube::kPersistentVolumeClaims, name + "-pgdata"));
    if (!volume || volume->being_deleted()) continue;
    moves.emplace_back([this, set] { make_pod(set); });
  }
}

void World::make_pod(const Object& set) {
  const std::string pod = std::string(set.name()) + "-0";
  Json document = set.json()["spec"]["template"];
  document["metadata"]["ownerReferences"] =
      Json::array({{{"uid", set.uid()}, {"controller", true}}});
  server.put(ref(kube::kPods, pod), document);
  tell(pod + " is made");
}

// Pods without an owner are told to stop; those that are stop; the sick recover.
void World::pod_moves(std::vector<Move>& moves) {
  std::set<std::string> sets;
  for (const Object& set : all(kube::kStatefulSets)) sets.emplace(set.uid());
  for (const Object& pod : all(kube::kPods)) {
    const std::string name(pod.name());
    if (pod.being_deleted()) {
      moves.emplace_back([this, name] {
        server.erase(ref(kube::kPods, name));
        sick_.erase(name);
        tell(name + " has stopped");
      });
    } else if (!sets.contains(std::string(pod.controller_uid()))) {
      moves.emplace_back([this, name] {
        server.change(ref(kube::kPods, name),
                      {{"metadata", {{"deletionTimestamp", "now"}, {"finalizers", {"kubelet"}}}}});
        tell(name + " is told to stop");
      });
    } else if (sick_.contains(name)) {
      moves.emplace_back([this, name] {
        sick_.erase(name);
        tell(name + " recovers");
      });
    }
  }
}

// A volume that is being deleted goes when no pod uses it any more.
void World::volume_moves(std::vector<Move>& moves) {
  for (const Object& volume : all(kube::kPersistentVolumeClaims)) {
    const std::string name(volume.name());
    const std::string pod = name.substr(0, name.rfind('-')) + "-0";
    if (!volume.being_deleted() || server.has(ref(kube::kPods, pod))) continue;
    moves.emplace_back([this, name] {
      server.change(ref(kube::kPersistentVolumeClaims, name),
                    {{"metadata", {{"finalizers", nullptr}}}});
      tell(name + " is released");
    });
  }
}

std::vector<std::string> World::serving() {
  Texts result;
  for (const Object& pod : all(kube::kPods)) {
    const std::string name(pod.name());
    if (!pod.being_deleted() && !sick_.contains(name)) result.push_back(name);
  }
  return result;
}

std::string World::leader() {
  const auto lock = server.get(ref(kube::kConfigMaps, names_.patroni_object("leader")));
  return lock ? std::string(lock->annotation("leader")) : "";
}

// The lock goes to a member that serves; every other one follows.
void World::patroni_moves(std::vector<Move>& moves) {
  const Texts candidates = serving();
  if (candidates.empty()) return;
  if (!server.has(ref(kube::kConfigMaps, names_.patroni_object("config")))) {
    for (const std::string& pod : candidates) moves.emplace_back([this, pod] { bootstrap(pod); });
    return;
  }
  const std::string now = leader();
  if (std::ranges::find(candidates, now) == candidates.end()) {
    for (const std::string& pod : candidates) moves.emplace_back([this, pod] { promote(pod); });
    return;
  }
  for (const std::string& pod : candidates) {
    const Object live = *server.get(ref(kube::kPods, pod));
    const std::string_view role = pod == now ? reconcile::kPrimary : reconcile::kReplica;
    const Json wanted = published(std::string(role), "running");
    if (live.label(kRole) == role &&
        live.annotation("status") ==
            kube::string_at(wanted, {"metadata", "annotations", "status"})) {
      continue;
    }
    moves.emplace_back([this, pod, wanted] {
      server.change(ref(kube::kPods, pod), wanted);
      tell(pod + " serves as " + std::string(server.get(ref(kube::kPods, pod))->label(kRole)));
    });
  }
}

void World::bootstrap(const std::string& pod) {
  const auto files = server.get(ref(kube::kConfigMaps, names_.patroni_config()));
  if (!files) return;
  const Json yaml = Json::parse(files->json()["data"]["patroni.yaml"].get<std::string>());
  Json config = annotations(
      {{"initialize", "7412345678901234567"}, {"config", yaml["bootstrap"]["dcs"].dump()}});
  config["metadata"]["labels"] = names_.labels();
  server.put(ref(kube::kConfigMaps, names_.patroni_object("config")), config);
  promote(pod);
}

void World::promote(const std::string& pod) {
  Json lock = annotations({{"leader", pod}, {"optime", std::to_string(1 << 24)}});
  lock["metadata"]["labels"] = names_.labels();
  server.put(ref(kube::kConfigMaps, names_.patroni_object("leader")), lock);
  tell(pod + " takes the lock");
}

// --- whims ---

void World::remove_cluster() {
  if (!exists()) return;
  server.remove(ref(kube::kPostgresClusters, "my-db"), {}).value();
  tell("somebody deletes my-db");
}

void World::scale(int replicas) {
  if (!exists()) return;
  server.change(ref(kube::kPostgresClusters, "my-db"), {{"spec", {{"replicas", replicas}}}});
  tell("somebody scales to " + std::to_string(replicas));
}

void World::kill(int number) {
  const ObjectRef pod = ref(kube::kPods, names_.pod(number));
  if (!server.has(pod)) return;
  server.erase(pod);
  sick_.erase(pod.name);
  tell(pod.name + " is killed");
}

void World::sicken(int number) {
  const ObjectRef pod = ref(kube::kPods, names_.pod(number));
  if (!server.has(pod) || pod.name == leader()) return;
  sick_.insert(pod.name);
  server.change(pod, published(std::string(reconcile::kReplica), "starting"));
  tell(pod.name + " falls sick");
}

void World::fail_over() {
  for (const std::string& pod : serving()) {
    if (leader().empty() || pod == leader()) continue;
    return promote(pod);
  }
}

void World::delete_child(int choice) {
  std::vector<ObjectRef> children;
  for (const ObjectRef& child : server.refs()) {
    if (child.type != kube::kSecrets && child.type != kube::kPersistentVolumeClaims &&
        child.type != kube::kPods && child.type != kube::kPostgresClusters &&
        !child.name.starts_with(names_.patroni_scope())) {
      children.push_back(child);
    }
  }
  if (children.empty()) return;
  const ObjectRef& child = children[static_cast<std::size_t>(choice) % children.size()];
  server.erase(child);
  tell("somebody deletes " + child.to_string());
}

// --- what can be seen ---

bool World::exists() {
  return server.has(ref(kube::kPostgresClusters, "my-db"));
}

int World::wanted() {
  const auto cluster = server.get(ref(kube::kPostgresClusters, "my-db"));
  return static_cast<int>(kube::int_at(cluster->json(), {"spec", "replicas"}));
}

std::vector<Object> World::all(const kube::ResourceType& type) {
  return server.list(type, {}).value().items;
}

std::size_t World::members() {
  return all(kube::kPods).size();
}

std::string World::phase() {
  const auto cluster = server.get(ref(kube::kPostgresClusters, "my-db"));
  return std::string(kube::string_at(cluster->json(), {"status", "phase"}));
}

std::string World::drawing() {
  std::string text;
  for (const Object& pod : all(kube::kPods)) {
    const std::string_view instance = pod.label(reconcile::kInstanceLabel);
    if (!text.empty()) text += ", ";
    text += std::to_string(names_.instance_number(instance)) + " " + std::string(pod.label(kRole));
  }
  return text;
}

std::vector<std::string> World::left_over() {
  Texts result;
  for (const ObjectRef& object : server.refs()) {
    result.push_back(std::string(object.type.plural) + " " + object.name);
  }
  std::ranges::sort(result);
  return result;
}

Json World::secret(const std::string& name) {
  return server.get(ref(kube::kSecrets, name))->json()["data"];
}

std::string World::story() const {
  std::string text;
  for (const std::string& line : story_) text += line + "\n";
  return text;
}

}  // namespace pgc::test
