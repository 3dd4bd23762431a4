// The parameters of PostgreSQL that users cannot set freely, because the operator or Patroni sets
// them.
#pragma once

#include <string_view>

#include "shared/schema/rules/parameter_table.h"

namespace pgc::schema {

// Why a parameter cannot be set at all, and what to do instead; empty if it can.
std::string_view reason_not_settable(std::string_view name);

// Below its minimum Patroni silently runs with its own default instead
// (patroni/postgresql/config.py, CMDLINE_OPTIONS), or raises the value to its own bound
// (available_parameters/0_postgres.yml).
struct PatroniMinimum {
  std::string_view name;
  int minimum;               // in the parameter's unit
  std::string_view instead;  // what Patroni would run with
};

const PatroniMinimum* find_minimum(std::string_view name);

// What a parameter is while nobody sets it: Patroni's default where it has another than PostgreSQL.
std::string_view running_default(const Parameter& parameter);

// Patroni reads fewer spellings than PostgreSQL, and leaves the parameter out
// otherwise.
bool is_boolean_for_patroni(std::string_view text);
bool is_number_for_patroni(std::string_view text, bool whole);

}  // namespace pgc::schema
