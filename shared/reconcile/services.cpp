// The addresses of a cluster. Patroni moves the role label, so they follow the primary while the
// operator is away.
#include <nlohmann/json.hpp>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"

namespace pgc::reconcile {
namespace {

kube::Json port(const std::string& name, int number) {
  return {{"name", name}, {"port", number}, {"targetPort", number}, {"protocol", "TCP"}};
}

kube::Json selector(const Context& context) {
  return {{kClusterLabel, context.names.cluster}, {kPatroniLabel, context.names.patroni_scope()}};
}

void by_role(const Context& context, const std::string& name, std::string_view role, Plan& plan) {
  kube::Json service = skeleton(context.observed, kube::kServices, name, Owned::kYes);
  service["spec"] = {{"type", "ClusterIP"},
                     {"selector", selector(context)},
                     {"ports", kube::Json::array({port("postgres", 5432)})}};
  service["spec"]["selector"][std::string(kRoleLabel)] = role;
  apply(context.observed, kube::kServices, std::move(service), plan);
}

// Gives each pod a name in DNS from its first moment: members find each other before they are
// ready.
void headless(const Context& context, Plan& plan) {
  kube::Json service =
      skeleton(context.observed, kube::kServices, context.names.pods_service(), Owned::kYes);
  service["spec"] = {{"type", "ClusterIP"},
                     {"clusterIP", "None"},
                     {"publishNotReadyAddresses", true},
                     {"selector", selector(context)},
                     {"ports", kube::Json::array({port("postgres", 5432), port("patroni", 8008)})}};
  apply(context.observed, kube::kServices, std::move(service), plan);
}

}  // namespace

void plan_services(const Context& context, Plan& plan) {
  by_role(context, context.names.read_write_service(), kPrimary, plan);
  by_role(context, context.names.read_only_service(), kReplica, plan);
  headless(context, plan);
}

}  // namespace pgc::reconcile
