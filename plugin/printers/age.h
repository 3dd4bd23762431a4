// Times as kubectl shows them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace pgc::plugin {

// "45s", "3m20s", "5h10m", "2d", "1y30d": about two digits of what matters.
std::string human_duration(std::chrono::seconds duration);

// How long ago `time` was; "<unknown>" where the text is no time.
std::string age(std::string_view time, std::chrono::system_clock::time_point now);

// "512 B", "1.5 MiB", "16 MiB": rounded down.
std::string human_bytes(std::int64_t bytes);

}  // namespace pgc::plugin
