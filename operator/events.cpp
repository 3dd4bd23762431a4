#include "operator/events.h"

#include <nlohmann/json.hpp>

#include "shared/kube/time.h"

namespace pgc {
namespace {

// At most 1,024 bytes, the longest note that the API takes, and never half a character.
std::string shortened(std::string note) {
  constexpr std::size_t kLongest = 1024;
  if (note.size() <= kLongest) return note;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xc0) == 0x80) --end;
  note.resize(end);
  return note;
}

}  // namespace

kube::Object event_object(const reconcile::Event& event, const kube::Object& resource,
                          const std::string& instance,
                          std::chrono::sys_time<std::chrono::microseconds> now) {
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, ".%llx",
                static_cast<unsigned long long>(now.time_since_epoch().count()) * 1000);
  return kube::Object(kube::Json{
      {"apiVersion", kube::kEvents.api_version()},
      {"kind", kube::kEvents.kind},
      {"metadata", {{"name", std::string(resource.name()) + suffix}, {"namespace", resource.ns()}}},
      {"eventTime", kube::rfc3339_micro(now)},
      {"reportingController", "db.example.com/pgc-operator"},
      {"reportingInstance", instance},
      {"type", event.warning ? "Warning" : "Normal"},
      {"reason", event.reason},
      {"action", event.action},
      {"note", shortened(event.note)},
      {"regarding",
       {{"apiVersion", kube::kPostgresClusters.api_version()},
        {"kind", kube::kPostgresClusters.kind},
        {"name", resource.name()},
        {"namespace", resource.ns()},
        {"uid", resource.uid()},
        {"resourceVersion", resource.resource_version()}}}});
}

kube::Json repetition(int count, std::chrono::sys_time<std::chrono::microseconds> now) {
  return {{"series", {{"count", count}, {"lastObservedTime", kube::rfc3339_micro(now)}}}};
}

void EventRecorder::record(const kube::Object& resource, const reconcile::Event& event,
                           std::chrono::sys_time<std::chrono::microseconds> now) {
  const EventSeries::Key key{std::string(resource.uid()), event.warning, event.reason, event.action,
                             event.note};
  EventSeries::Decision decision;
  {
    const std::lock_guard lock(mutex_);
    decision = series_.happened(key, now);
  }
  if (decision.write == EventSeries::Write::kNothing) return;
  if (decision.write == EventSeries::Write::kCreate) return create(key, resource, event, now);
  const auto counted = client_.patch({kube::kEvents, std::string(resource.ns()), decision.name},
                                     kube::PatchType::kMerge, repetition(decision.count, now), {});
  if (counted) return;
  {
    const std::lock_guard lock(mutex_);
    series_.forget(key);
  }
  if (counted.error().is(kube::ErrorKind::kNotFound)) return create(key, resource, event, now);
  log_.warning("cannot write event", {{"error", counted.error().message}});
}

void EventRecorder::create(const EventSeries::Key& key, const kube::Object& resource,
                           const reconcile::Event& event, EventSeries::TimePoint now) {
  const auto created = client_.create(kube::kEvents, std::string(resource.ns()),
                                      event_object(event, resource, instance_, now),
                                      {.field_manager = "pgc-operator"});
  if (!created) {
    log_.warning("cannot write event", {{"error", created.error().message}});
    return;
  }
  const std::lock_guard lock(mutex_);
  series_.stands(key, std::string(created->name()), now);
}

}  // namespace pgc
