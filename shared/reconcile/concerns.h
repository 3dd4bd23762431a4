// The concerns that a plan is made of. Each is one pure function in one file: it looks at the same
// context and appends what its own objects need. Their order is plan.cpp's.
#pragma once

#include <expected>
#include <string>

#include "shared/reconcile/names.h"
#include "shared/reconcile/plan.h"

namespace pgc::reconcile {

// What the installation's settings make of one cluster's spec.
struct Resolved {
  std::string image;
  std::string storage_class;  // empty: the default StorageClass
  schema::TlsMode tls = schema::TlsMode::kRequire;
  bool tls_enabled = true;  // the server offers TLS; false only with kPrefer
};

struct Context {
  const Observed& observed;
  const Settings& settings;
  Names names;
  Topology topology;
  Resolved resolved;
  TimePoint now;

  const schema::PostgresCluster& cluster() const { return observed.cluster; }
};

// The error says what the installation lacks, and what would help.
std::expected<Resolved, std::string> resolve(const schema::PostgresCluster& cluster,
                                             const Settings& settings);

void plan_finalizer(const Context& context, Plan& plan);
void plan_access(const Context& context, Plan& plan);       // what Patroni and the agent may do
void plan_secrets(const Context& context, Plan& plan);      // passwords, certificates
void plan_services(const Context& context, Plan& plan);     // my-db-rw, my-db-ro, my-db-pods
void plan_patroni(const Context& context, Plan& plan);      // its files, its dynamic configuration
void plan_instances(const Context& context, Plan& plan);    // StatefulSets and volumes, scale
void plan_replacement(const Context& context, Plan& plan);  // pods that cannot run
void plan_disruption(const Context& context, Plan& plan);   // PodDisruptionBudget
void plan_orphans(const Context& context, Plan& plan);      // what no other concern wants
void plan_removal(const Context& context, Plan& plan);      // the cluster is being deleted
void plan_status(const Context& context, Plan& plan);       // .status and events, last of all

// What the pods of all instances have in common, and from it the pod template of one
// (pod_template.cpp).
kube::Json common_pod_template(const Context& context);
kube::Json pod_template(const Context& context, kube::Json common, int number);

}  // namespace pgc::reconcile
