// What the webhook tells the cluster when it has no usable certificate to change to: an Event, so
// that it stands in `kubectl get events` and not in a log alone.
//
// Events are all that the webhook writes. Nothing depends on one: a failure to write it is logged
// and forgotten.
#pragma once

#include <chrono>
#include <string>

#include "shared/kube/object.h"

namespace pgc::webhook {

struct EventSubject {
  std::string kind;  // Secret or Pod
  std::string ns;
  std::string name;
  std::string reporter;  // the pod
};

kube::Object certificate_event(const EventSubject& about, const std::string& reason,
                               std::chrono::sys_time<std::chrono::microseconds> now);

}  // namespace pgc::webhook
