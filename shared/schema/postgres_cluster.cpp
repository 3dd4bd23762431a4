#include "shared/schema/postgres_cluster.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "shared/schema/quantity.h"
#include "shared/schema/rules/access.h"
#include "shared/schema/rules/rules.h"

namespace pgc::schema {
namespace {

std::string text_at(const Json& object, std::initializer_list<std::string_view> path) {
  return text_of(find(object, path)).value_or("");
}

RetentionPolicy policy_at(const Json& spec, std::string_view when) {
  const std::string text = text_at(spec, {"storage", "persistentVolumeClaimRetentionPolicy", when});
  return text == to_string(RetentionPolicy::kDelete) ? RetentionPolicy::kDelete
                                                     : RetentionPolicy::kRetain;
}

std::map<std::string, std::string> texts_at(const Json& spec,
                                            std::initializer_list<std::string_view> path) {
  std::map<std::string, std::string> result;
  const Json* fields = find(spec, path);
  if (fields == nullptr) return result;
  for (const auto& [key, value] : fields->items()) result[key] = text_of(&value).value_or("");
  return result;
}

Storage storage_of(const Json& spec) {
  Storage storage;
  storage.size = text_at(spec, {"storage", "size"});
  storage.bytes = quantity_of(find(spec, {"storage", "size"})).value_or(Quantity()).value();
  storage.storage_class = text_of(find(spec, {"storage", "storageClass"}));
  storage.when_scaled = policy_at(spec, "whenScaled");
  storage.when_deleted = policy_at(spec, "whenDeleted");
  return storage;
}

std::optional<TlsMode> tls_mode_of(const Json& spec) {
  const auto mode = text_of(find(spec, {"tls", "mode"}));
  if (!mode) return std::nullopt;
  return *mode == to_string(TlsMode::kRequire) ? TlsMode::kRequire : TlsMode::kPrefer;
}

void read_metadata(const Json& object, PostgresCluster& cluster) {
  cluster.name = text_at(object, {"metadata", "name"});
  cluster.ns = text_at(object, {"metadata", "namespace"});
  cluster.uid = text_at(object, {"metadata", "uid"});
  const Json* generation = find(object, {"metadata", "generation"});
  if (generation != nullptr && generation->is_number_integer())
    cluster.generation = generation->get<std::int64_t>();
  cluster.deletion_timestamp = text_of(find(object, {"metadata", "deletionTimestamp"}));
}

// Also of a number that is written as 3.0. A conversion of one that does not fit would be
// undefined.
int int_of(const Json& number) {
  using Limits = std::numeric_limits<int>;
  const auto value = number.get<double>();
  if (!(value >= Limits::min() && value <= Limits::max())) throw std::out_of_range("no int");
  return static_cast<int>(value);
}

}  // namespace

std::string_view to_string(RetentionPolicy policy) {
  return policy == RetentionPolicy::kDelete ? "Delete" : "Retain";
}

std::string_view to_string(TlsMode mode) {
  return mode == TlsMode::kRequire ? "Require" : "Prefer";
}

std::expected<PostgresCluster, std::vector<FieldError>> parse_postgres_cluster(const Json& object) {
  Json complete = object;
  apply_defaults(complete);
  Verdict verdict = check(complete);
  if (!verdict.ok()) return std::unexpected(std::move(verdict.errors));
  return values_of(complete);
}

PostgresCluster values_of(const Json& object) {
  const Json& spec = object.at("spec");
  PostgresCluster cluster;
  read_metadata(object, cluster);
  cluster.replicas = int_of(spec.at("replicas"));
  cluster.version = std::stoi(spec.at("version").get<std::string>());
  cluster.storage = storage_of(spec);
  cluster.resources = {texts_at(spec, {"resources", "requests"}),
                       texts_at(spec, {"resources", "limits"})};
  cluster.parameters = texts_at(spec, {"postgresql", "parameters"});
  cluster.tls_mode = tls_mode_of(spec);
  return cluster;
}

}  // namespace pgc::schema
