// Events of a cluster, for `kubectl describe` and `kubectl get events`.
#pragma once

#include <chrono>
#include <string>

#include "shared/kube/client.h"
#include "shared/reconcile/action.h"

namespace pgc {

// An events.k8s.io/v1 Event about `resource`. `instance` names the reporting pod.
kube::Object event_object(const reconcile::Event& event, const kube::Object& resource,
                          const std::string& instance,
                          std::chrono::sys_time<std::chrono::microseconds> now);

}  // namespace pgc
