#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"

namespace pgc::schema {
namespace {

// A forgotten unit: 10 is ten bytes.
void warn_if_tiny(const std::optional<Quantity>& size, Verdict& verdict) {
  constexpr std::int64_t kEmptyDatabase = std::int64_t{100} << 20;
  if (!size || *size <= Quantity() || size->value() >= kEmptyDatabase) return;
  warn(verdict, FieldPath("spec.storage.size"),
       "is less than an empty database takes; a size without a suffix counts bytes");
}

void check_size(const Change& change, Verdict& verdict) {
  const Json* size = find(change.object, {"spec", "storage", "size"});
  // 4.0 passes for an integer, but is no quantity to CEL either.
  const bool is_fraction = size != nullptr && size->is_number_float();
  if (!text_of(size) && !is_fraction) return;
  const FieldPath path("spec.storage.size");
  const auto wanted = quantity_of(size);
  if (!wanted || *wanted <= Quantity()) {
    verdict.errors.push_back(
        invalid(path, *size, "must be a quantity greater than zero, such as 10Gi"));
  }
  warn_if_tiny(wanted, verdict);
  if (!wanted || change.old == nullptr) return;
  const Json* old_size = find(*change.old, {"spec", "storage", "size"});
  const auto old = quantity_of(old_size);
  if (!old || *wanted >= *old) return;
  const std::string present = text_of(old_size).value_or("");
  verdict.errors.push_back(invalid(path, *size,
                                   "cannot shrink: the volumes have " + present +
                                       ", and volumes only grow; ask for " + present + " or more"));
}

void check_storage_class(const Change& change, Verdict& verdict) {
  if (change.old == nullptr) return;
  const Json* wanted = find(change.object, {"spec", "storage", "storageClass"});
  if (text_of(wanted) == text_of(find(*change.old, {"spec", "storage", "storageClass"}))) return;
  verdict.errors.push_back(invalid(FieldPath("spec.storage.storageClass"),
                                   wanted == nullptr ? Json() : *wanted,
                                   "cannot change once the cluster exists; keep the present value "
                                   "or restore into a new cluster"));
}

}  // namespace

void check_storage(const Change& change, Verdict& verdict) {
  check_size(change, verdict);
  check_storage_class(change, verdict);
}

}  // namespace pgc::schema
