// What PostgreSQL says about its own parameters, per major: names, types, units, ranges.
//
// Read from real servers by dev/parameters and compiled in, sorted: nothing is parsed at run time,
// a look-up is a binary search. Names are compared as PostgreSQL does, ASCII letters without case.
#pragma once

#include <span>
#include <string_view>

namespace pgc::schema {

enum class ParameterKind { kBool, kInteger, kReal, kString, kEnum };

// When a change takes effect (https://www.postgresql.org/docs/current/view-pg-settings.html).
enum class ParameterContext {
  kInternal,    // never: it tells a property of the server
  kPostmaster,  // when the server restarts
  kSighup,      // when the configuration is reloaded; so are all that follow
  kSuperuserBackend,
  kBackend,
  kSuperuser,
  kUser,
};

struct Parameter {
  std::string_view name;
  ParameterKind kind;
  std::string_view
      unit;      // of least, most and default_value: B, kB, 8kB, MB, us, ms, s, min, or none
  double least;  // of integers and reals
  double most;
  ParameterContext context;
  std::string_view default_value;  // built in; initdb may have chosen another
  std::string_view values;         // of an enum, parted by commas
  std::string_view hidden_values;  // accepted, but not advertised
  unsigned flags;
};

// Flags.
inline constexpr unsigned kNotInFile = 1;         // belongs to a session, not to a configuration
inline constexpr unsigned kDroppedByPatroni = 2;  // Patroni leaves it out of postgresql.conf

// Sorted by name; empty for a major that is not served.
std::span<const Parameter> parameters_of(int major);
// Those of the extensions that come with PostgreSQL, such as auto_explain.log_min_duration.
std::span<const Parameter> extension_parameters();

// Null where there is none of that name.
const Parameter* find_parameter(std::span<const Parameter> table, std::string_view name);
// By name alone: with a dot it is an extension's.
const Parameter* find_parameter(int major, std::string_view name);

bool equal_names(std::string_view a, std::string_view b);

}  // namespace pgc::schema
