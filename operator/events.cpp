#include "operator/events.h"

#include <nlohmann/json.hpp>

#include "shared/kube/time.h"

namespace pgc {

kube::Object event_object(const reconcile::Event& event, const kube::Object& resource,
                          const std::string& instance,
                          std::chrono::sys_time<std::chrono::microseconds> now) {
  constexpr std::size_t kLongestNote = 1024;
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, ".%llx",
                static_cast<unsigned long long>(now.time_since_epoch().count()) * 1000);
  return kube::Object(kube::Json{
      {"apiVersion", kube::kEvents.api_version()},
      {"kind", kube::kEvents.kind},
      {"metadata",
       {{"name", std::string(resource.name()) + suffix}, {"namespace", resource.ns()}}},
      {"eventTime", kube::rfc3339_micro(now)},
      {"reportingController", "db.example.com/pgc-operator"},
      {"reportingInstance", instance},
      {"type", event.warning ? "Warning" : "Normal"},
      {"reason", event.reason},
      {"action", event.action},
      {"note", event.note.substr(0, kLongestNote)},
      {"regarding",
       {{"apiVersion", kube::kPostgresClusters.api_version()},
        {"kind", kube::kPostgresClusters.kind},
        {"name", resource.name()},
        {"namespace", resource.ns()},
        {"uid", resource.uid()},
        {"resourceVersion", resource.resource_version()}}}});
}

}  // namespace pgc
