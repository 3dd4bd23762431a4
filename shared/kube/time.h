// Points in time as the API writes them: RFC 3339, UTC. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace pgc::kube {

// metav1.Time, "2026-01-31T12:00:00Z".
std::string rfc3339(std::chrono::sys_seconds time);
// metav1.MicroTime, "2026-01-31T12:00:00.000001Z".
std::string rfc3339_micro(std::chrono::sys_time<std::chrono::microseconds> time);

// Any RFC 3339 time, with a zone and a fraction; the fraction is cut off. Nothing where it is none.
std::optional<std::chrono::sys_seconds> parse_rfc3339(std::string_view text);

}  // namespace pgc::kube
