#include "operator/triggers.h"

#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"

namespace pgc {
namespace {

using kube::Json;

// What every write changes.
void drop_bookkeeping(Json& document) {
  if (!document.contains("metadata") || !document["metadata"].is_object()) return;
  document["metadata"].erase("resourceVersion");
  document["metadata"].erase("managedFields");
}

// A member writes its WAL position into its `status` annotation at every turn of Patroni's loop.
void drop_position(Json& annotations) {
  const auto status = annotations.find("status");
  if (status == annotations.end() || !status->is_string()) return;
  Json published = Json::parse(status->get<std::string>(), nullptr, /*allow_exceptions=*/false);
  if (!published.is_object()) return;
  published.erase("xlog_location");
  *status = published.dump();
}

Json without_heartbeat(const kube::Object& object) {
  Json document = object.json();
  drop_bookkeeping(document);
  const Json* present = kube::find_at(document, {"metadata", "annotations"});
  if (present == nullptr || !present->is_object()) return document;
  Json& annotations = document["metadata"]["annotations"];
  for (const char* key : {"renewTime", "optime", "slots", "retain_slots"}) annotations.erase(key);
  drop_position(annotations);
  return document;
}

bool only_heartbeat(const kube::Change& change) {
  return change.before && change.after &&
         without_heartbeat(*change.before) == without_heartbeat(*change.after);
}

}  // namespace

std::optional<ClusterKey> concerned(const kube::ResourceType& type, const kube::Change& change) {
  if (!change.before && !change.after) return std::nullopt;
  const kube::Object& object = change.after ? *change.after : *change.before;
  const std::string_view name =
      type == kube::kPostgresClusters ? object.name() : object.label(reconcile::kClusterLabel);
  if (name.empty() || only_heartbeat(change)) return std::nullopt;
  return ClusterKey{std::string(object.ns()), std::string(name)};
}

}  // namespace pgc
