// Events of a cluster, for `kubectl describe` and `kubectl get events`.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "operator/event_series.h"
#include "shared/kube/client.h"
#include "shared/log/log.h"
#include "shared/reconcile/action.h"

namespace pgc {

// An events.k8s.io/v1 Event about `resource`. `instance` names the reporting pod.
kube::Object event_object(const reconcile::Event& event, const kube::Object& resource,
                          const std::string& instance,
                          std::chrono::sys_time<std::chrono::microseconds> now);

// What changes of an Event when it happens again: a merge patch.
kube::Json repetition(int count, std::chrono::sys_time<std::chrono::microseconds> now);

// Writes Events. One that can't be written is logged and lost: nothing depends on it. Safe from
// several threads; `client` and `log` must outlive it.
class EventRecorder {
 public:
  EventRecorder(kube::Client& client, std::string instance, const Log& log)
      : client_(client), instance_(std::move(instance)), log_(log) {}

  void record(const kube::Object& resource, const reconcile::Event& event,
              std::chrono::sys_time<std::chrono::microseconds> now);

 private:
  void create(const EventSeries::Key& key, const kube::Object& resource,
              const reconcile::Event& event, EventSeries::TimePoint now);

  kube::Client& client_;
  const std::string instance_;
  const Log& log_;

  std::mutex mutex_;
  EventSeries series_;  // guarded by mutex_
};

}  // namespace pgc
