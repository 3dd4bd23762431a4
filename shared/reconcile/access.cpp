// What the pods of a cluster may do at the API server: keep Patroni's state, and no more.
// https://patroni.readthedocs.io/en/latest/kubernetes.html#kubernetes-role-based-access-control-rbac
#include <nlohmann/json.hpp>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"

namespace pgc::reconcile {
namespace {

kube::Json rules() {
  return kube::Json::array({{{"apiGroups", {""}},
                             {"resources", {"configmaps"}},
                             {"verbs", {"create", "get", "list", "patch", "update", "watch"}}},
                            {{"apiGroups", {""}},
                             {"resources", {"pods"}},
                             {"verbs", {"get", "list", "patch", "update", "watch"}}}});
}

}  // namespace

void plan_access(const Context& context, Plan& plan) {
  const Observed& observed = context.observed;
  const std::string name = context.names.service_account();

  apply(observed, kube::kServiceAccounts,
        skeleton(observed, kube::kServiceAccounts, name, Owned::kYes), plan);

  kube::Json role = skeleton(observed, kube::kRoles, name, Owned::kYes);
  role["rules"] = rules();
  apply(observed, kube::kRoles, std::move(role), plan);

  kube::Json binding = skeleton(observed, kube::kRoleBindings, name, Owned::kYes);
  binding["roleRef"] = {
      {"apiGroup", kube::kRoles.group}, {"kind", kube::kRoles.kind}, {"name", name}};
  binding["subjects"] = kube::Json::array(
      {{{"kind", "ServiceAccount"}, {"name", name}, {"namespace", context.cluster().ns}}});
  apply(observed, kube::kRoleBindings, std::move(binding), plan);
}

}  // namespace pgc::reconcile
