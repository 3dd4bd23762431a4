// The end of a cluster. What carries an owner reference goes by the garbage collector; the
// finalizer is for what does not: Patroni's own ConfigMaps, which a living member would make again,
// and, where the policy says Delete, the volumes with the credentials that belong to them. A volume
// claim that was never bound goes whatever the policy says: there are no data to keep, and a class
// that does not exist would be the next cluster's of this name, too.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"
#include "shared/reconcile/record.h"

namespace pgc::reconcile {
namespace {

constexpr std::chrono::seconds kSoon{2};

bool has_finalizer(const kube::Object& resource) {
  const kube::Json* list = kube::find_at(resource.json(), {"metadata", "finalizers"});
  return list != nullptr && std::ranges::find(*list, kube::Json(kFinalizer)) != list->end();
}

Patch finalizers(const Observed& observed, kube::Json list, std::string why) {
  kube::Json operations = kube::Json::array();
  operations.push_back({{"op", "replace"},
                        {"path", "/metadata/resourceVersion"},
                        {"value", observed.resource.resource_version()}});
  operations.push_back(
      {{"op", "add"}, {"path", "/metadata/finalizers"}, {"value", std::move(list)}});
  return {.ref = {kube::kPostgresClusters, observed.cluster.ns, observed.cluster.name},
          .operations = kube::Object(kube::Json{{"patch", operations}}),
          .why = std::move(why)};
}

kube::Json finalizer_list(const kube::Object& resource) {
  const kube::Json* list = kube::find_at(resource.json(), {"metadata", "finalizers"});
  return list == nullptr ? kube::Json::array() : *list;
}

void remove_all(const Context& context, const kube::ResourceType& type, const std::string& why,
                Plan& plan) {
  for (const kube::Object* object : context.observed.all(type)) {
    if (object->being_deleted()) continue;
    plan.actions.push_back(removal_of(type, *object, why));
  }
}

// No primary ever led on these claims, and no volume is behind them.
void remove_unused_claims(const Context& context, Plan& plan) {
  if (last_record(context.observed)) return;
  for (const kube::Object* claim : context.observed.all(kube::kPersistentVolumeClaims)) {
    const bool bound = !kube::string_at(claim->json(), {"spec", "volumeName"}).empty();
    if (bound || claim->being_deleted()) continue;
    plan.actions.push_back(
        removal_as_seen(kube::kPersistentVolumeClaims, *claim, "it was never bound to a volume"));
  }
}

// The Secrets are known by name alone, and a safe delete needs a UID; so they get the cluster as
// owner and go with it.
void adopt_secrets(const Context& context, Plan& plan) {
  for (const std::string& name : context.observed.secrets) {
    plan.actions.push_back(
        Apply{.ref = {kube::kSecrets, context.cluster().ns, name},
              .object = kube::Object(skeleton(context.observed, kube::kSecrets, name, Owned::kYes)),
              .uid = {}});
  }
}

void release_finalizer(const Context& context, Plan& plan) {
  kube::Json list = finalizer_list(context.observed.resource);
  list.erase(std::remove(list.begin(), list.end(), kube::Json(kFinalizer)), list.end());
  plan.actions.push_back(
      finalizers(context.observed, std::move(list), "everything of the cluster is gone"));
}

// The replicas go first and the primary last, so that none of them is promoted on the way: the
// cluster may come back on its volumes.
void remove_instances(const Context& context, Plan& plan) {
  const Member* primary = context.topology.primary();
  const std::string last = primary == nullptr ? "" : primary->instance;
  bool others = std::ranges::any_of(context.topology.members,
                                    [&](const Member& member) { return member.instance != last; });
  for (const kube::Object* set : context.observed.all(kube::kStatefulSets)) {
    others = others || set->name() != last;
  }
  for (const kube::Object* set : context.observed.all(kube::kStatefulSets)) {
    if (set->being_deleted() || (others && set->name() == last)) continue;
    plan.actions.push_back(removal_of(kube::kStatefulSets, *set, "the cluster is being deleted"));
  }
}

}  // namespace

void plan_finalizer(const Context& context, Plan& plan) {
  const kube::Object& resource = context.observed.resource;
  if (has_finalizer(resource)) return;
  kube::Json list = finalizer_list(resource);
  list.push_back(kFinalizer);
  plan.actions.push_back(
      finalizers(context.observed, std::move(list), "Patroni's objects need removal in the end"));
}

void plan_removal(const Context& context, Plan& plan) {
  if (!has_finalizer(context.observed.resource)) return;
  remove_instances(context, plan);
  if (!context.topology.members.empty()) {
    plan.look_again = kSoon;  // a living member would make Patroni's objects again
    return;
  }
  for (const std::string_view suffix : {"leader", "config", "failover", "sync"}) {
    const std::string name = context.names.patroni_object(suffix);
    const kube::Object* map = context.observed.find(kube::kConfigMaps, name);
    if (map == nullptr || map->being_deleted()) continue;
    plan.actions.push_back(removal_of(kube::kConfigMaps, *map, "the cluster is being deleted"));
  }
  const bool with_data = context.cluster().storage.when_deleted == schema::RetentionPolicy::kDelete;
  if (with_data) {
    remove_all(context, kube::kPersistentVolumeClaims, "whenDeleted is Delete", plan);
  } else {
    remove_unused_claims(context, plan);
  }
  if (!plan.actions.empty()) return;
  if (with_data) adopt_secrets(context, plan);
  release_finalizer(context, plan);
}

}  // namespace pgc::reconcile
