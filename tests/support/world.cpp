#include "tests/support/world.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/schema/quantity.h"
#include "shared/x509/base64.h"

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
  client.before = [this](const FaultyClient::Call& call) { inspect(call); };
  other_client.before = client.before;
  create_cluster(spec);
  restart();
}

ObjectRef World::ref(const kube::ResourceType& type, const std::string& name) const {
  return {type, "shop", name};
}

void World::create_cluster(const std::string& spec) {
  Json document = resource(spec);
  document["metadata"].erase("finalizers");
  document["metadata"].erase("uid");
  server.put(ref(kube::kPostgresClusters, "my-db"), document);
  asked_.push_back(wanted());
  tell("somebody creates my-db " + spec);
}

// --- the operator ---

void World::restart() {
  life_ = std::make_unique<OperatorLife>(server, client, settings, log_);
  tell("an operator starts");
}

std::vector<std::string> World::turn() {
  const auto before = server.writes.size();
  if (!behind_) view().catch_up();
  in_turn_ = true;
  try {
    turn_of(*life_);
  } catch (const ProcessDeath&) {
    tell("operator: dies");
    client.plan({});
    restart();
    unfinished_ = true;
  }
  in_turn_ = contended_ = false;
  return {server.writes.begin() + static_cast<std::ptrdiff_t>(before), server.writes.end()};
}

void World::turn_of(OperatorLife& life) {
  const auto before = server.writes.size();
  const Outcome outcome = life.turn(clock);
  for (auto i = before; i < server.writes.size(); ++i) tell("operator: " + server.writes[i]);
  unfinished_ = outcome.kind == Outcome::Kind::kFailed || outcome.at_once;
  if (outcome.kind == Outcome::Kind::kFailed) tell("operator: fails");
}

void World::turn_of_another() {
  contended_ = in_turn_;
  if (!other_life_)
    other_life_ = std::make_unique<OperatorLife>(server, other_client, settings, log_);
  other_life_->view.catch_up();
  tell("another operator has a turn");
  turn_of(*other_life_);
  unfinished_ = false;
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
    if (turn().empty() && !moved && !unfinished_) return;
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
    if (set.being_deleted()) continue;  // its controller makes no pods any more
    const std::string name(set.name());
    if (server.has(ref(kube::kPods, name + "-0"))) continue;
    const auto volume = server.get(ref(kube::kPersistentVolumeClaims, name + "-pgdata"));
    if (!volume || volume->being_deleted()) continue;
    moves.emplace_back([this, set] { make_pod(set); });
  }
}

// No node has more than 64 cores.
bool World::fits(const Object& pod) {
  const Json* containers = kube::find_at(pod.json(), {"spec", "containers"});
  if (containers == nullptr) return true;
  return std::ranges::none_of(*containers, [](const Json& container) {
    const auto cpu = schema::Quantity::parse(
        std::string(kube::string_at(container, {"resources", "requests", "cpu"})));
    return cpu && cpu->value() > 64;
  });
}

void World::make_pod(const Object& set) {
  const std::string pod = std::string(set.name()) + "-0";
  Json document = set.json()["spec"]["template"];
  document["metadata"]["ownerReferences"] =
      Json::array({{{"uid", set.uid()}, {"controller", true}}});
  const bool room = fits(Object(document));
  if (!room) {
    document["status"]["conditions"] = Json::array(
        {{{"type", "PodScheduled"}, {"status", "False"}, {"message", "no node has room"}}});
  }
  server.put(ref(kube::kPods, pod), document);
  tell(pod + " is made" + (room ? "" : ", and no node has room for it"));
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
    if (!pod.being_deleted() && !sick_.contains(name) && fits(pod)) result.push_back(name);
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
  if (!files || kube::string_at(files->json(), {"data", "patroni.yaml"}).empty()) return;
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
  asked_.push_back(replicas);
  tell("somebody scales to " + std::to_string(replicas));
}

void World::change_cluster(const Json& merge) {
  if (!exists()) return;
  server.change(ref(kube::kPostgresClusters, "my-db"), merge);
  asked_.push_back(wanted());
  tell("somebody changes my-db: " + merge.dump());
}

void World::set_spec(const Json& spec) {
  Json document = server.get(ref(kube::kPostgresClusters, "my-db"))->json();
  document["spec"] = spec;
  server.put(ref(kube::kPostgresClusters, "my-db"), document);
  asked_.push_back(wanted());
  tell("somebody writes my-db: " + spec.dump());
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

// What is ours, but volumes and Secrets.
std::vector<ObjectRef> World::children() {
  std::vector<ObjectRef> result;
  for (const ObjectRef& child : server.refs()) {
    if (child.type != kube::kSecrets && child.type != kube::kPersistentVolumeClaims &&
        child.type != kube::kPods && child.type != kube::kPostgresClusters &&
        child.type != kube::kEvents && !child.name.starts_with(names_.patroni_scope())) {
      result.push_back(child);
    }
  }
  return result;
}

void World::delete_child(int choice) {
  const std::vector<ObjectRef> ours = children();
  if (ours.empty()) return;
  const ObjectRef& child = ours[static_cast<std::size_t>(choice) % ours.size()];
  if (child.type == kube::kStatefulSets) taken_by_others_.push_back(*server.get(child));
  server.erase(child);
  tell("somebody deletes " + child.to_string());
}

void World::deface(int choice) {
  const std::vector<ObjectRef> ours = children();
  if (ours.empty()) return;
  const ObjectRef& child = ours[static_cast<std::size_t>(choice) % ours.size()];
  Json change = annotations({{"example.com/mine", std::to_string(choice)}});
  if (choice % 3 == 1 && child.type == kube::kServices) {
    change["spec"]["selector"] = {{"foreign", "label"}};
  }
  if (choice % 3 == 2 && child.type == kube::kConfigMaps) change["data"] = nullptr;
  server.change(child, change);
  tell("somebody changes " + child.to_string());
}

void World::hold(int choice) {
  const std::vector<ObjectRef> ours = children();
  if (ours.empty()) return;
  const ObjectRef& child = ours[static_cast<std::size_t>(choice) % ours.size()];
  const Object live = *server.get(child);
  if (live.being_deleted()) return;
  if (child.type == kube::kStatefulSets) taken_by_others_.push_back(live);
  server.change(child, {{"metadata", {{"finalizers", {"example.com/mine"}}}}});
  (void)server.remove(child, {});
  server.writes.pop_back();
  held_.push_back(child);
  tell("somebody deletes and holds " + child.to_string());
}

void World::release() {
  for (const ObjectRef& child : std::exchange(held_, {})) {
    if (!server.has(child)) continue;
    server.change(child, {{"metadata", {{"finalizers", nullptr}}}});
    tell(child.to_string() + " is let go");
  }
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

namespace {

// UIDs, versions and what is random.
void blur(Json& document) {
  Json& metadata = document["metadata"];
  for (const char* key : {"uid", "resourceVersion", "creationTimestamp"}) metadata.erase(key);
  if (metadata.contains("ownerReferences")) {
    for (Json& owner : metadata["ownerReferences"]) owner.erase("uid");
  }
  if (document["kind"] != "Secret" || !document.contains("data")) return;
  for (Json& value : document["data"]) value = "*";
}

}  // namespace

std::string World::picture() {
  std::string text;
  for (const ObjectRef& object : server.refs()) {
    if (object.type == kube::kEvents) continue;
    Json document = server.get(object)->json();
    blur(document);
    text += object.to_string() + " " + document.dump(1) + "\n";
  }
  return text;
}

// Pods keep what they were made from, and volumes the record of who led when.
std::string World::picture_of_children() {
  std::string text;
  for (const ObjectRef& object : server.refs()) {
    if (object.type == kube::kEvents || object.type == kube::kPostgresClusters ||
        object.type == kube::kPods) {
      continue;
    }
    Json document = server.get(object)->json();
    blur(document);
    document["metadata"].erase("generation");
    if (document["metadata"].contains("annotations")) {  // of which UIDs are a part
      document["metadata"]["annotations"].erase(std::string(reconcile::kIntentAnnotation));
    }
    text += object.to_string() + " " + document.dump(1) + "\n";
  }
  return text;
}

bool World::tells_secrets() {
  std::string told;
  for (const std::string& line : logged_) told += line + "\n";
  Texts secrets;
  for (const ObjectRef& object : server.refs()) {
    const Json& document = server.get(object)->json();
    if (object.type != kube::kSecrets) {
      told += document.dump() + "\n";
      continue;
    }
    for (const auto& [key, value] : document["data"].items()) {
      if (key != "password" && key != "tls.key") continue;
      secrets.push_back(value.get<std::string>());
      secrets.push_back(x509::from_base64(secrets.back()).value_or(secrets.back()));
    }
  }
  return std::ranges::any_of(secrets, [&](const std::string& secret) {
    return secret.size() > 8 && told.find(secret) != std::string::npos;
  });
}

std::vector<std::string> World::left_over() {
  Texts result;
  for (const ObjectRef& object : server.refs()) {
    if (object.type == kube::kEvents) continue;
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
