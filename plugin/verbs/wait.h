// Waits until a cluster has as many ready instances as were asked for, and tells how far it is.
#pragma once

#include <chrono>
#include <cstdint>

#include "plugin/process.h"
#include "shared/kube/client.h"

namespace pgc::plugin {

struct ScaleGoal {
  kube::ObjectRef ref;
  std::int64_t replicas = 0;
  std::chrono::milliseconds timeout{};
};

// Fails where the time is up, saying what is missing; where the cluster is gone; and where somebody
// asked for another number meanwhile. A server that does not answer for a while is waited for, too.
kube::Result<void> wait_until_scaled(const ScaleGoal& goal, kube::Reader& reader,
                                     const Streams& streams, const Clock& clock);

}  // namespace pgc::plugin
