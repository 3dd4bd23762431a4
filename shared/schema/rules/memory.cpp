// What PostgreSQL may take of the memory that its container has.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {
namespace {

constexpr std::string_view kHugePages = "hugepages-";

struct Amount {
  FieldPath path;
  const Json* json;
  Quantity quantity;
};

// A limit without a request is the request, says Kubernetes.
std::optional<Amount> memory_of(const Json& object, std::initializer_list<std::string_view> kinds) {
  for (const std::string_view kind : kinds) {
    const Json* memory = find(object, {"spec", "resources", kind, "memory"});
    const auto quantity = quantity_of(memory);
    if (quantity && *quantity > Quantity())
      return Amount{FieldPath("spec.resources").child(kind).child("memory"), memory, *quantity};
  }
  return std::nullopt;
}

double huge_pages(const Json& object) {
  double bytes = 0;
  const Json* limits = find(object, {"spec", "resources", "limits"});
  if (limits == nullptr || !limits->is_object()) return bytes;
  for (auto limit = limits->begin(); limit != limits->end(); ++limit) {
    if (!limit.key().starts_with(kHugePages)) continue;
    if (const auto amount = quantity_of(&*limit)) bytes += static_cast<double>(amount->value());
  }
  return bytes;
}

std::string in_binary(double bytes) {
  return Quantity::of(static_cast<std::int64_t>(bytes), Quantity::Format::kBinary).to_string();
}

// A pod that may not even hold its shared buffers is killed as soon as it is used.
void check_shared_buffers(const Change& change, Verdict& verdict) {
  const auto shared = change.parameters.bytes("shared_buffers");
  const auto memory = memory_of(change.object, {"requests", "limits"});
  if (!shared || !memory || huge_pages(change.object) >= *shared) return;
  if (static_cast<double>(memory->quantity.value()) >= *shared) return;
  if (!change.parameters.has("shared_buffers"))
    return warn(verdict, memory->path, "is less than shared_buffers, which is 128MB by default");
  verdict.errors.push_back(invalid(memory->path, *memory->json,
                                   "must be at least " + in_binary(*shared) +
                                       ", the shared_buffers in spec.postgresql.parameters"));
}

// Kubernetes gives a pod no huge page that it does not ask for, and "on" does without none.
void check_huge_pages(const Change& change, Verdict& verdict) {
  const GivenParameter* given = change.parameters.find("huge_pages");
  const auto shared = change.parameters.bytes("shared_buffers");
  if (given == nullptr || !shared || parse_boolean(given->text) != true) return;
  if (huge_pages(change.object) > *shared) return;
  verdict.errors.push_back(invalid(
      given->path(), *given->json,
      "needs a limit for huge pages, such as hugepages-2Mi, of more than the shared_buffers of " +
          in_binary(*shared) + "; or write try"));
}

constexpr std::array<std::string_view, 7> kParts = {
    "shared_buffers",       "work_mem",
    "max_connections",      "autovacuum_max_workers",
    "maintenance_work_mem", "autovacuum_work_mem",
    "wal_buffers"};

std::string rounded(double bytes) {
  constexpr double kMegabyte = 1048576;
  return std::to_string(static_cast<std::int64_t>(bytes / kMegabyte)) + "MB";
}

// The sum is what could be needed at once, not what always is: so it is told, not refused, and only
// to who sets one of its parts.
void check_sum(const Change& change, Verdict& verdict) {
  const GivenParameters& parameters = change.parameters;
  const auto memory = memory_of(change.object, {"limits", "requests"});
  if (!memory || std::ranges::none_of(kParts, [&](auto name) { return parameters.has(name); }))
    return;
  const auto shared = parameters.bytes("shared_buffers");
  const auto work = parameters.bytes("work_mem");
  const auto connections = parameters.value("max_connections");
  const auto workers = parameters.value("autovacuum_max_workers");
  auto maintenance = parameters.bytes("autovacuum_work_mem");
  if (maintenance && *maintenance < 0) maintenance = parameters.bytes("maintenance_work_mem");
  if (!shared || !work || !connections || !workers || !maintenance) return;
  const double own = huge_pages(change.object) >= *shared ? 0 : *shared;
  const double sum = own + *connections * *work + *workers * *maintenance;
  if (sum <= static_cast<double>(memory->quantity.value())) return;
  warn(verdict, memory->path,
       "buffers " + rounded(own) + ", " + amount_text(*connections, {}) + " x work_mem " +
           rounded(*connections * *work) + ", vacuum " + rounded(*workers * *maintenance) +
           ": up to " + rounded(sum));
}

}  // namespace

void check_memory(const Change& change, Verdict& verdict) {
  if (change.parameters.major() == 0) return;
  check_shared_buffers(change, verdict);
  check_huge_pages(change, verdict);
  check_sum(change, verdict);
}

}  // namespace pgc::schema
