#include "shared/observe/observe.h"

#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"
#include "shared/schema/rules/rules.h"

namespace pgc::observe {
namespace {

using reconcile::Observed;

Refusal failed(kube::Error error) {
  std::string message = error.message;
  return {.error = std::move(error), .broken = std::nullopt, .message = std::move(message)};
}

std::string joined(const std::vector<schema::FieldError>& errors) {
  std::string text;
  for (const auto& error : errors) {
    if (!text.empty()) text += "; ";
    text += schema::to_string(error);
  }
  return text;
}

// What is known of any object, whatever its spec says. Volumes are retained where it cannot tell.
Observed bare(const kube::Object& resource) {
  Observed observed;
  observed.resource = resource;
  observed.cluster.name = resource.name();
  observed.cluster.ns = resource.ns();
  observed.cluster.uid = resource.uid();
  observed.cluster.generation = resource.generation();
  return observed;
}

// Controlled by somebody else, as by a cluster of this name that has been deleted and whose parts
// the garbage collector has yet to remove. Its labels do not make it ours; to its name it has a
// right until it goes. (Pods are their StatefulSet's.)
bool of_a_stranger(const kube::ResourceType& type, const kube::Object& object,
                   const Observed& observed) {
  const std::string_view controller = object.controller_uid();
  return type != kube::kPods && !controller.empty() && controller != observed.cluster.uid;
}

kube::Result<void> read_children(kube::Reader& objects, Observed& observed) {
  const reconcile::Names names{observed.cluster.name};
  for (const kube::ResourceType& type : child_types()) {
    auto list = objects.list(type, {.ns = observed.cluster.ns, .label_selector = names.selector()});
    if (!list) return std::unexpected(list.error());
    for (const kube::Object& object : list->items) {
      if (of_a_stranger(type, object, observed)) continue;
      observed.objects.emplace(
          kube::ObjectRef{type, std::string(object.ns()), std::string(object.name())}, object);
    }
  }
  return {};
}

kube::Result<void> read_secrets(kube::Reader& secrets, Observed& observed) {
  const reconcile::Names names{observed.cluster.name};
  for (const std::string& name :
       {names.superuser_secret(), names.replication_secret(), names.rewind_secret(),
        names.app_secret(), names.ca_secret(), names.server_tls_secret()}) {
    auto secret = secrets.get({kube::kSecrets, observed.cluster.ns, name});
    if (secret) {
      observed.secrets.insert(name);
    } else if (!secret.error().is(kube::ErrorKind::kNotFound)) {
      return std::unexpected(secret.error());
    }
  }
  return {};
}

// Nothing of it has been made yet. Its Secrets are not asked for: whoever goes to make one finds
// out whether it is there, as where a cluster of that name has left its passwords behind.
bool is_new(const Observed& observed) {
  return observed.objects.empty() && !observed.resource.being_deleted();
}

}  // namespace

const std::vector<kube::ResourceType>& child_types() {
  static const std::vector<kube::ResourceType> types = {
      kube::kStatefulSets, kube::kPods,         kube::kPersistentVolumeClaims,
      kube::kConfigMaps,   kube::kServices,     kube::kServiceAccounts,
      kube::kRoles,        kube::kRoleBindings, kube::kPodDisruptionBudgets};
  return types;
}

std::expected<Observed, Refusal> observe(kube::Reader& objects, kube::Reader& secrets,
                                         const std::string& ns, const std::string& name) {
  auto resource = objects.get({kube::kPostgresClusters, ns, name});
  if (!resource) return std::unexpected(failed(resource.error()));
  Observed observed = bare(*resource);
  if (auto cluster = schema::parse_postgres_cluster(resource->json())) {
    observed.cluster = *cluster;
  } else if (!resource->being_deleted()) {  // whatever it says, it can always be removed
    return std::unexpected(Refusal{
        .error = std::nullopt, .broken = std::move(observed), .message = joined(cluster.error())});
  }
  if (auto children = read_children(objects, observed); !children) {
    return std::unexpected(failed(children.error()));
  }
  if (is_new(observed)) return observed;
  if (auto read = read_secrets(secrets, observed); !read) {
    return std::unexpected(failed(read.error()));
  }
  return observed;
}

}  // namespace pgc::observe
