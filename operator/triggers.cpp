#include "operator/triggers.h"

#include <nlohmann/json.hpp>

namespace pgc {
namespace {

using kube::Digest;
using kube::Json;

// A member writes its WAL position into its `status` annotation at every turn of Patroni's loop.
void add_published(Digest& digest, const Json& status) {
  if (!status.is_string()) return digest.add(status);
  const Json published = Json::parse(status.get_ref<const std::string&>(), nullptr,
                                     /*allow_exceptions=*/false);
  if (!published.is_object()) return digest.add(status);
  digest.add_without(published, {"xlog_location"});
}

void add_annotations(Digest& digest, const Json& annotations) {
  digest.add_without(annotations, {"renewTime", "optime", "slots", "retain_slots", "status"});
  const auto status = annotations.find("status");
  if (status != annotations.end()) add_published(digest, *status);
}

void add_metadata(Digest& digest, const Json& metadata) {
  digest.add_without(metadata, {"resourceVersion", "managedFields", "annotations"});
  const Json* annotations = kube::find_at(metadata, {"annotations"});
  if (annotations != nullptr && annotations->is_object()) add_annotations(digest, *annotations);
}

}  // namespace

std::uint64_t significance(const kube::Object& object) {
  Digest digest;
  const Json& document = object.json();
  if (object.kind() == kube::kPostgresClusters.kind) {
    digest.add_without(document, {"metadata", "status"});
  } else {
    digest.add_without(document, {"metadata"});
  }
  const Json* metadata = kube::find_at(document, {"metadata"});
  if (metadata != nullptr && metadata->is_object()) add_metadata(digest, *metadata);
  return digest.value();
}

std::vector<ClusterKey> concerned(const kube::ResourceType& type, const kube::Change& change) {
  std::vector<ClusterKey> keys;
  if (!change) return keys;
  if (type == kube::kPostgresClusters) return {{change.ns, change.name}};
  for (const std::string& name : {change.group, change.former_group}) {
    if (!name.empty()) keys.push_back({change.ns, name});
  }
  return keys;
}

}  // namespace pgc
