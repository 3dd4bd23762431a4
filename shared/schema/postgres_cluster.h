// A PostgresCluster as plain values, for code that plans with it.
//
// Made only from an object that check() (rules.h) finds right and that holds the schema's defaults.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/schema/structural/field_error.h"

namespace pgc::schema {

enum class RetentionPolicy { kRetain, kDelete };
enum class TlsMode { kRequire, kPrefer };

struct Storage {
  std::string size = "10Gi";  // as written
  std::int64_t bytes = std::int64_t{10} << 30;
  std::optional<std::string> storage_class;  // absent: the cluster's default
  RetentionPolicy when_scaled = RetentionPolicy::kRetain;
  RetentionPolicy when_deleted = RetentionPolicy::kRetain;

  bool operator==(const Storage&) const = default;
};

// Quantities as written, by resource name.
struct Resources {
  std::map<std::string, std::string> requests;
  std::map<std::string, std::string> limits;

  bool operator==(const Resources&) const = default;
};

struct PostgresCluster {
  std::string name;
  std::string ns;
  std::string uid;
  std::int64_t generation = 0;
  std::optional<std::string> deletion_timestamp;  // RFC 3339; set: it is being deleted

  int replicas = 1;
  int version = 0;  // the major, 16
  Storage storage;
  Resources resources;
  std::map<std::string, std::string> parameters;  // postgresql.conf
  std::optional<TlsMode> tls_mode;                // absent: the installation's choice

  bool operator==(const PostgresCluster&) const = default;
};

// The words of the API: Retain, Delete, Require, Prefer.
std::string_view to_string(RetentionPolicy policy);
std::string_view to_string(TlsMode mode);

// The errors are those of check(); an object with any is not turned into values. Absent fields that
// have a default count as defaulted; `object` itself is not changed.
std::expected<PostgresCluster, std::vector<FieldError>> parse_postgres_cluster(const Json& object);

// The same without asking, for an object that has its defaults and was found right just now.
// Throws nlohmann::json::exception or std::logic_error where it is not.
PostgresCluster values_of(const Json& object);

}  // namespace pgc::schema
