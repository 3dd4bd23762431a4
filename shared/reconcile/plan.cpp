#include "shared/reconcile/plan.h"

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/record.h"

namespace pgc::reconcile {

std::expected<Resolved, std::string> resolve(const schema::PostgresCluster& cluster,
                                             const Settings& settings) {
  const auto major = settings.images.find(cluster.version);
  if (major == settings.images.end()) {
    return std::unexpected("this installation has no image for PostgreSQL " +
                           std::to_string(cluster.version) +
                           "; add it to images in the operator's settings");
  }
  Resolved resolved{.image = major->second.image,
                    .storage_class = cluster.storage.storage_class.value_or(settings.storage_class),
                    .tls = cluster.tls_mode.value_or(settings.tls),
                    .tls_enabled = major->second.tls};
  if (resolved.tls == schema::TlsMode::kRequire && !resolved.tls_enabled) {
    return std::unexpected("TLS is required, but the image of PostgreSQL " +
                           std::to_string(cluster.version) + " (" + resolved.image +
                           ") is built without it; set spec.tls.mode to Prefer, or choose an image "
                           "with TLS in the operator's settings");
  }
  return resolved;
}

namespace {

// The major that the data directories are of, or will be of in a moment; empty before there are any
// members. A server of another major does not start on them.
std::string running_version(const Context& context) {
  if (const auto record = last_record(context.observed)) return record->version;
  const bool members = !context.topology.system_identifier.empty() ||
                       !context.observed.all(kube::kStatefulSets).empty();
  if (!members) return "";
  return std::string(kube::string_at(context.observed.resource.json(), {"status", "version"}));
}

}  // namespace

Plan plan(const Observed& observed, const Settings& settings, TimePoint now) {
  Plan plan;
  const auto resolved = resolve(observed.cluster, settings);
  const Context context{.observed = observed,
                        .settings = settings,
                        .names = {observed.cluster.name},
                        .topology = topology_of(observed),
                        .resolved = resolved.value_or(Resolved{}),
                        .now = now};
  if (observed.resource.being_deleted()) {
    plan_removal(context, plan);
    return plan;
  }
  const std::string running = running_version(context);
  if (!running.empty() && running != std::to_string(observed.cluster.version)) {
    return refuse(observed, "UpgradeNotAvailable",
                  "the data is of PostgreSQL " + running +
                      ", and this version of pgc does not upgrade it; set spec.version back to \"" +
                      running + "\"",
                  now);
  }
  if (!resolved) return refuse(observed, "NotAvailable", resolved.error(), now);
  plan_finalizer(context, plan);
  plan_access(context, plan);
  plan_secrets(context, plan);
  plan_services(context, plan);
  plan_patroni(context, plan);
  plan_instances(context, plan);
  plan_replacement(context, plan);
  plan_disruption(context, plan);
  plan_orphans(context, plan);
  plan_status(context, plan);
  return plan;
}

}  // namespace pgc::reconcile
