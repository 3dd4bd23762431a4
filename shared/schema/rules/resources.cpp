#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"

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

void check_requests_within_limits(const Json& object, Verdict& verdict) {
  const Json* requests = find(object, {"spec", "resources", "requests"});
  if (requests == nullptr || !requests->is_object()) return;
  for (const auto& [name, value] : requests->items()) {
    const Json* limit_value = find(object, {"spec", "resources", "limits", name});
    const auto request = quantity_of(&value);
    const auto limit = quantity_of(limit_value);
    if (!request || !limit || *request <= *limit) continue;
    verdict.errors.push_back(invalid(path_of("requests", name), value,
                                     "must be less than or equal to the " + name + " limit of " +
                                         text_of(limit_value).value_or("")));
  }
}

// What cannot be overcommitted: Kubernetes makes no pod without a limit, or with another request.
bool must_be_equal(std::string_view name) {
  return name.starts_with(kHugePages) || name.find('/') != std::string_view::npos;
}

void check_requests_are_limits(const Json& object, Verdict& verdict) {
  const Json* requests = find(object, {"spec", "resources", "requests"});
  if (requests == nullptr || !requests->is_object()) return;
  for (const auto& [name, value] : requests->items()) {
    const auto request = quantity_of(&value);
    if (!must_be_equal(name) || !request) continue;
    const Json* limit_value = find(object, {"spec", "resources", "limits", name});
    const auto limit = quantity_of(limit_value);
    if (limit_value == nullptr) {
      verdict.errors.push_back(
          required(path_of("limits", name),
                   "must be set, equal to the request of " + text_of(&value).value_or("")));
    } else if (limit && *request < *limit) {
      verdict.errors.push_back(invalid(path_of("requests", name), value,
                                       "must be equal to the limit of " +
                                           text_of(limit_value).value_or("") +
                                           ", as Kubernetes wants"));
    }
  }
}

// 128m of memory is a slip for 128M: it means an eighth of a byte.
void check_whole_bytes(std::string_view kind, const std::string& name, const Json& value,
                       Quantity amount, Verdict& verdict) {
  if (name == "cpu" || name.find('/') != std::string::npos ||
      amount == Quantity::of(amount.value()))
    return;
  verdict.errors.push_back(
      invalid(path_of(kind, name), value,
              "must be whole bytes; the suffix m means thousandths, M and Mi mean "
              "megabytes"));
}

void check_huge_pages_are_whole(std::string_view kind, const std::string& name, const Json& value,
                                Quantity amount, Verdict& verdict) {
  if (!name.starts_with(kHugePages)) return;
  const auto page = Quantity::parse(std::string_view(name).substr(kHugePages.size()));
  if (!page || *page <= Quantity()) {
    verdict.errors.push_back(invalid(FieldPath("spec.resources").child(kind), name,
                                     "must name the size of a page, such as hugepages-2Mi"));
  } else if (amount.value() % page->value() != 0) {
    verdict.errors.push_back(invalid(path_of(kind, name), value,
                                     "must be a multiple of the page, " + page->to_string()));
  }
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
    if (amount && *amount >= Quantity()) {
      check_whole_bytes(kind, name, value, *amount, verdict);
      check_huge_pages_are_whole(kind, name, value, *amount, verdict);
    } else if (text_of(&value)) {
      verdict.errors.push_back(
          invalid(path_of(kind, name), value,
                  "must be a quantity that is not negative, such as 500m or 1Gi"));
    }
  }
}

}  // namespace

void check_resources(const Change& change, Verdict& verdict) {
  check_amounts(change.object, "requests", verdict);
  check_amounts(change.object, "limits", verdict);
  check_requests_within_limits(change.object, verdict);
  check_requests_are_limits(change.object, verdict);
}

}  // namespace pgc::schema
