// Lengths of time on the command line, as Go and therefore kubectl write them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace pgc::plugin {

// "90s", "1h30m", "1.5m", "250ms"; a bare number is seconds. Nothing where it is none of these or
// negative, or longer than a hundred years.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace pgc::plugin
