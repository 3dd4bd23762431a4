#include "shared/reconcile/record.h"

#include <nlohmann/json.hpp>

namespace pgc::reconcile {
namespace {

constexpr std::string_view kRecordAnnotation = "db.example.com/last-primary";

std::string text(const Record& record) {
  return kube::Json{{"instance", record.primary},
                    {"timeline", record.timeline},
                    {"systemIdentifier", record.system_identifier},
                    {"version", record.version}}
      .dump();
}

std::optional<Record> record_of(const kube::Object& claim) {
  const kube::Json document =
      kube::Json::parse(claim.annotation(kRecordAnnotation), nullptr, /*allow_exceptions=*/false);
  Record record{.primary = std::string(kube::string_at(document, {"instance"})),
                .timeline = kube::int_at(document, {"timeline"}),
                .system_identifier = std::string(kube::string_at(document, {"systemIdentifier"})),
                .version = std::string(kube::string_at(document, {"version"}))};
  if (record.primary.empty()) return std::nullopt;
  return record;
}

std::optional<Record> todays_record(const Context& context) {
  const Member* primary = context.topology.primary();
  if (primary == nullptr || primary->timeline == 0 || context.topology.system_identifier.empty()) {
    return std::nullopt;
  }
  return Record{.primary = primary->instance,
                .timeline = primary->timeline,
                .system_identifier = context.topology.system_identifier,
                .version = std::to_string(context.cluster().version)};
}

}  // namespace

std::optional<Record> last_record(const Observed& observed) {
  std::optional<Record> last;
  for (const kube::Object* claim : observed.all(kube::kPersistentVolumeClaims)) {
    const auto record = record_of(*claim);
    if (record && (!last || record->timeline > last->timeline)) last = record;
  }
  return last;
}

void put_record(const Context& context, kube::Json& claim) {
  std::string record;
  if (const auto today = todays_record(context)) {
    record = text(*today);
  } else if (const auto* live =
                 context.observed.find(kube::kPersistentVolumeClaims, claim["metadata"]["name"])) {
    record = live->annotation(kRecordAnnotation);
  }
  if (!record.empty()) claim["metadata"]["annotations"][std::string(kRecordAnnotation)] = record;
}

}  // namespace pgc::reconcile
