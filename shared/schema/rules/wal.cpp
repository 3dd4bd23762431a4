// WAL lies on the data volume: what may be kept of it must leave room for the data.
#include <array>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {
namespace {

constexpr std::array<std::string_view, 4> kKept = {"max_slot_wal_keep_size", "max_wal_size",
                                                   "min_wal_size", "wal_keep_size"};

void check_kept(const Change& change, std::string_view name, const Quantity& volume,
                Verdict& verdict) {
  const GivenParameter* given = change.parameters.find(name);
  const auto bytes = change.parameters.bytes(name);
  if (given == nullptr || !bytes || *bytes < static_cast<double>(volume.value())) return;
  verdict.errors.push_back(invalid(given->path(), *given->json,
                                   "must be less than spec.storage.size, " + volume.to_string() +
                                       ": WAL lies on the same volume and would fill it"));
}

}  // namespace

void check_wal(const Change& change, Verdict& verdict) {
  const Json* size = find(change.object, {"spec", "storage", "size"});
  const auto volume = quantity_of(size);
  if (!volume || *volume <= Quantity()) return;
  for (const std::string_view name : kKept) check_kept(change, name, *volume, verdict);
  const auto bytes = change.parameters.bytes("max_wal_size");
  if (!bytes || change.parameters.has("max_wal_size")) return;
  if (*bytes > static_cast<double>(volume->value()))
    warn(verdict, FieldPath("spec.storage.size"),
         "is less than the WAL alone may take, max_wal_size, which is 1GB by default");
}

}  // namespace pgc::schema
