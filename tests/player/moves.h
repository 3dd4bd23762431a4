// What the StatefulSet controller, kubelets and Patroni would do next with one cluster, as values:
// what is seen of it goes in, writes come out. Pure.
//
// A pod that nobody runs is Running and Ready as soon as it is there. The member that is seen first
// leads; the others stream from it. Where the leader has gone, another one takes its lock.
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shared/kube/object.h"
#include "shared/reconcile/names.h"

namespace pgc::player {

using Moment = std::chrono::sys_time<std::chrono::microseconds>;

// Keeps a pod that is deleted until its kubelet, which is us, has stopped it.
inline constexpr const char* kFinalizer = "player.example.com/kubelet";

// One cluster's StatefulSets, pods, volume claims and ConfigMaps.
struct Scene {
  std::string ns;
  reconcile::Names names;
  std::map<kube::ObjectRef, kube::Object> objects;

  const kube::Object* find(const kube::ResourceType& type, const std::string& name) const;
  std::vector<const kube::Object*> all(const kube::ResourceType& type) const;
};

struct Move {
  enum class Kind { kCreate, kPatch, kDelete };  // kPatch: a merge patch
  Kind kind;
  kube::ObjectRef ref;
  kube::Json body = {};  // of kDelete: {"uid": ...}
  std::string subresource = {};
};

// Empty once everything runs. All of it may be done at once, in this order.
std::vector<Move> next_moves(const Scene& scene, Moment now);

// One turn of Patroni's loop: the leader renews its lock, every member publishes its position.
std::vector<Move> heartbeat(const Scene& scene, Moment now);

}  // namespace pgc::player
