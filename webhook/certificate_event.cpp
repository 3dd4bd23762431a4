#include "webhook/certificate_event.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "shared/kube/time.h"

namespace pgc::webhook {

namespace {

constexpr std::size_t kLongestNote = 1'000;  // the API takes 1,024 bytes

}  // namespace

kube::Object certificate_event(const EventSubject& about, const std::string& reason,
                               std::chrono::sys_time<std::chrono::microseconds> now) {
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, ".%llx",
                static_cast<unsigned long long>(now.time_since_epoch().count()));
  const std::string note = "The webhook goes on with its last good certificate: " + reason;
  return kube::Object(
      kube::Json{{"apiVersion", kube::kEvents.api_version()},
                 {"kind", kube::kEvents.kind},
                 {"metadata", {{"name", about.name + suffix}, {"namespace", about.ns}}},
                 {"eventTime", kube::rfc3339_micro(now)},
                 {"reportingController", "db.example.com/pgc-webhook"},
                 {"reportingInstance", about.reporter},
                 {"type", "Warning"},
                 {"reason", "CertificateNotLoaded"},
                 {"action", "LoadCertificate"},
                 {"note", note.substr(0, kLongestNote)},
                 {"regarding",
                  {{"apiVersion", "v1"},
                   {"kind", about.kind},
                   {"name", about.name},
                   {"namespace", about.ns}}}});
}

}  // namespace pgc::webhook
