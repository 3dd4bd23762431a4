// Which changes of the cluster are worth a look: a pure function of one change.
#pragma once

#include <optional>

#include "operator/work_queue.h"
#include "shared/kube/cache.h"

namespace pgc {

// The cluster that a change concerns; nothing where it concerns none, or where only Patroni's
// heartbeats have moved (the leader's renewTime and optime, a member's WAL position).
std::optional<ClusterKey> concerned(const kube::ResourceType& type, const kube::Change& change);

}  // namespace pgc
