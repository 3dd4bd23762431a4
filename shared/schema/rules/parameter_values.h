// Values of postgresql.conf, as PostgreSQL itself reads them (src/backend/utils/misc/guc.c).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pgc::schema {

// A whole decimal number, blanks around it allowed.
std::optional<std::int64_t> parse_integer(std::string_view text);

// on, off, true, false, yes, no, 1, 0, in any case, or an unambiguous beginning of one.
std::optional<bool> parse_boolean(std::string_view text);

// An amount of memory in bytes: a number with B, kB, MB, GB or TB. Without a unit it counts in
// `unit` bytes.
std::optional<std::int64_t> parse_memory(std::string_view text, std::int64_t unit);

// Whether it is a number without a unit.
bool lacks_unit(std::string_view text);

}  // namespace pgc::schema
