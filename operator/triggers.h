// Which changes of the cluster are worth a look: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "operator/work_queue.h"
#include "shared/kube/cache.h"

namespace pgc {

// Equal for two states of an object where only what wakes nobody has moved: Patroni's heartbeats
// (the leader's renewTime and optime, a member's WAL position), and the status that we write
// ourselves. For kube::CacheOptions.
std::uint64_t significance(const kube::Object& object);

// The clusters that a change concerns, two where an object has moved from one to the other.
std::vector<ClusterKey> concerned(const kube::ResourceType& type, const kube::Change& change);

}  // namespace pgc
