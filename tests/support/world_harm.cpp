// What must never happen in the world of world.h: the rules that each write of an operator is held
// to at the moment when it goes out.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/world.h"

namespace pgc::test {

using kube::Json;
using kube::Object;

void World::harm_if(bool wrong, const std::string& what) {
  ++checks_;
  if (wrong) harm_.push_back(what);
}

// The operator is about to do this, and nothing holds it back any more but the API server.
void World::inspect(const FaultyClient::Call& call) {
  if (!call.writes() || call.ref.type == kube::kEvents) return;
  const std::string line = call.verb + " " + call.ref.to_string();
  harm_if(call.ref.type == kube::kPods && call.verb != "delete", "writes to a pod: " + line);
  if (call.verb == "delete") inspect_delete(call);
  if (call.verb == "patch") inspect_patch(call);
  count(call);
}

void World::count(const FaultyClient::Call& call) {
  const bool there = server.has(call.ref);
  if (call.verb == "delete") {
    const auto live = server.get(call.ref);
    const bool goes = live && !live->being_deleted() && live->uid() == call.preconditions->uid;
    if (goes) ++made_["delete " + call.ref.to_string()];
  } else if (!there) {
    ++made_["create " + call.ref.to_string()];
  }
}

void World::inspect_delete(const FaultyClient::Call& call) {
  const std::string line = call.ref.to_string();
  harm_if(call.preconditions->uid.empty(), "deletes whatever is there: " + line);
  harm_if(client.failed_reads() > 0, "deletes after a read that failed: " + line);
  const auto live = server.get(call.ref);
  if (!live || live->being_deleted() || live->uid() != call.preconditions->uid) return;
  const auto cluster = server.get(ref(kube::kPostgresClusters, "my-db"));
  harm_if(!cluster, "deletes for a cluster that is gone: " + line);
  if (call.ref.type == kube::kPersistentVolumeClaims) inspect_volume(*live, line);
  harm_if(call.ref.type == kube::kPods && fits(*live) &&
              live->resource_version() == call.preconditions->resource_version,
          "takes a pod that runs: " + line);
  if (call.ref.type == kube::kStatefulSets && cluster && !cluster->being_deleted()) {
    inspect_set(*live, line);
  }
}

// What was asked for when it looked, or later: it may act on any of these.
int World::fewest_wanted() {
  const auto seen = view().get(ref(kube::kPostgresClusters, "my-db"));
  const auto first = seen ? kube::int_at(seen->json(), {"spec", "replicas"}) : asked_.back();
  int fewest = asked_.back();
  for (auto at = asked_.rbegin(); at != asked_.rend(); ++at) {
    fewest = std::min(fewest, *at);
    if (*at == first) break;
  }
  return fewest;
}

void World::inspect_set(const Object& set, const std::string& line) {
  int left = -1;
  for (const Object& other : all(kube::kStatefulSets)) left += other.being_deleted() ? 0 : 1;
  // What somebody else has taken, and it has not seen go, it counts on.
  for (const Object& taken : taken_by_others_) {
    const auto seen = life_->view.get(ref(kube::kStatefulSets, std::string(taken.name())));
    left += seen && seen->uid() == taken.uid() && !seen->being_deleted() ? 1 : 0;
  }
  harm_if(left < fewest_wanted(), "takes one too many: " + line);
  if (behind_ || contended_) return;  // who leads may have changed since it looked
  harm_if(std::string(set.name()) + "-0" == leader(), "takes the leader: " + line);
  harm_if(leader().empty(), "takes a member while nobody leads: " + line);
}

// Nothing was ever bound to it, and nobody led.
bool World::never_used(const Object& volume) {
  return kube::string_at(volume.json(), {"spec", "volumeName"}).empty() &&
         volume.annotation("db.example.com/last-primary").empty();
}

void World::inspect_volume(const Object& volume, const std::string& line) {
  const auto cluster = server.get(ref(kube::kPostgresClusters, "my-db"));
  if (!cluster) return;
  const char* const when = cluster->being_deleted() ? "whenDeleted" : "whenScaled";
  const bool may =
      kube::string_at(cluster->json(), {"spec", "storage", "persistentVolumeClaimRetentionPolicy",
                                        when}) == "Delete";
  harm_if(!may && !never_used(volume), "takes a volume that is to be retained: " + line);
  const std::string instance(volume.label(reconcile::kInstanceLabel));
  harm_if(!cluster->being_deleted() && instance + "-0" == leader(),
          "takes the leader's volume: " + line);
  if (behind_ || contended_) return;
  const auto set = server.get(ref(kube::kStatefulSets, instance));
  // The set of a cluster that had this name before waits for the garbage collector alone.
  const bool stands = set && !set->being_deleted() && set->controller_uid() == cluster->uid();
  harm_if(server.has(ref(kube::kPods, instance + "-0")) || stands,
          "takes a volume in use: " + line);
}

// A change of what is there says of which object, and in which state of it.
void World::inspect_patch(const FaultyClient::Call& call) {
  const std::string line = "patch " + call.ref.to_string();
  const Json& body = *call.body;
  if (call.patch == kube::PatchType::kJson) {
    harm_if(body.empty() || body[0].value("path", "") != "/metadata/resourceVersion",
            "changes whatever is there: " + line);
    return;
  }
  harm_if(call.options->field_manager.empty(), "changes as nobody: " + line);
  const bool says = !kube::string_at(body, {"metadata", "uid"}).empty() ||
                    !kube::string_at(body, {"metadata", "resourceVersion"}).empty();
  harm_if(!says && server.has(call.ref), "changes whatever is there: " + line);
  if (call.options->subresource != "status") return;
  const auto live = server.get(call.ref);
  const auto generation = kube::int_at(body, {"status", "observedGeneration"});
  if (!live || behind_ || contended_) return;
  auto& last = observed_generations_[std::string(live->uid())];
  harm_if(generation < last, "observes an older generation: " + line);
  last = generation;
}

}  // namespace pgc::test
