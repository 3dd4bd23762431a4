// The parameters of PostgreSQL that users cannot set freely, because the operator or Patroni sets
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pgc::schema {

// Why a parameter (in lower case) cannot be set at all, and what to do instead; empty if it can.
std::string_view reason_not_settable(std::string_view name);

// Below its minimum Patroni silently runs with its own default instead
// (patroni/postgresql/config.py, CMDLINE_OPTIONS).
struct PatroniMinimum {
  std::string_view name;
  std::int64_t minimum;
  std::string_view instead;  // what Patroni would run with
  std::int64_t memory_unit;  // bytes of a number without a unit; 0: it is a plain number
};

const PatroniMinimum* find_minimum(std::string_view name);

}  // namespace pgc::schema
