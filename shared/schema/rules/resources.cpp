#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"cpu", "memory", "ephemeral-storage"};
constexpr std::string_view kHugePages = "hugepages-";

bool is_resource_name(std::string_view name) {
  const bool is_extended = name.find('/') != std::string_view::npos;  // example.com/device
  return is_extended || name.starts_with(kHugePages) ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

FieldPath path_of(std::string_view kind, std::string_view name) {
  return FieldPath("spec.resources").child(kind).child(name);
}

void check_amounts(const Json& object, std::string_view kind, Verdict& verdict) {
  const Json* amounts = find(object, {"spec", "resources", kind});
  if (amounts == nullptr || !amounts->is_object()) return;
  for (const auto& [name, value] : amounts->items()) {
    if (!is_resource_name(name)) {
      verdict.errors.push_back(
          not_supported(FieldPath("spec.resources").child(kind), name, Json(kNames)));
      continue;
    }
    const auto amount = quantity_of(&value);
    if (text_of(&value) && (!amount || *amount < Quantity())) {
      verdict.errors.push_back(
          invalid(path_of(kind, name), value,
                  "must be a quantity that is not negative, such as 500m or 1Gi"));
    }
  }
}

void check_requests_within_limits(const Json& object, Verdict& verdict) {
  const Json* requests = find(object, {"spec", "resources", "requests"});
  if (requests == nullptr || !requests->is_object()) return;
  for (const auto& [name, value] : requests->items()) {
    const Json* limit_value = find(object, {"spec", "resources", "limits", name});
    const auto request = quantity_of(&value);
    const auto limit = quantity_of(limit_value);
    if (!request || !limit || *request <= *limit) continue;
    verdict.errors.push_back(invalid(
        path_of("requests", name), value,
        "must be less than or equal to the " + name + " limit of " + *text_of(limit_value)));
  }
}

bool uses_huge_pages(const Json& object) {
  const Json* limits = find(object, {"spec", "resources", "limits"});
  if (limits == nullptr || !limits->is_object()) return false;
  return std::any_of(limits->items().begin(), limits->items().end(),
                     [](const auto& item) { return item.key().starts_with(kHugePages); });
}

// A pod that may not even hold its shared buffers is killed as soon as it is used.
void check_shared_buffers_fit(const Json& object, Verdict& verdict) {
  constexpr std::int64_t kBlock = 8192;
  const auto text = text_of(find(object, {"spec", "postgresql", "parameters", "shared_buffers"}));
  const auto bytes = text ? parse_memory(*text, kBlock) : std::nullopt;
  if (!bytes || uses_huge_pages(object)) return;
  // A limit without a request is the request, says Kubernetes.
  const bool requested = find(object, {"spec", "resources", "requests", "memory"}) != nullptr;
  const std::string_view kind = requested ? "requests" : "limits";
  const Json* memory = find(object, {"spec", "resources", kind, "memory"});
  const auto amount = quantity_of(memory);
  if (!amount || *amount >= Quantity::of(*bytes)) return;
  verdict.errors.push_back(invalid(path_of(kind, "memory"), *memory,
                                   "must be at least " +
                                       Quantity::of(*bytes, Quantity::Format::kBinary).to_string() +
                                       ", the shared_buffers in spec.postgresql.parameters"));
}

}  // namespace

void check_resources(const Change& change, Verdict& verdict) {
  check_amounts(change.object, "requests", verdict);
  check_amounts(change.object, "limits", verdict);
  check_requests_within_limits(change.object, verdict);
  check_shared_buffers_fit(change.object, verdict);
}

}  // namespace pgc::schema
