// At most one member at a time may be evicted. A single member has no budget: it would only stand
// in the way of a node's drain.
#include <nlohmann/json.hpp>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"

namespace pgc::reconcile {

void plan_disruption(const Context& context, Plan& plan) {
  const Observed& observed = context.observed;
  const std::string name = context.names.disruption_budget();
  if (context.cluster().replicas > 1) {
    kube::Json budget = skeleton(observed, kube::kPodDisruptionBudgets, name, Owned::kYes);
    budget["spec"] = {{"minAvailable", context.cluster().replicas - 1},
                      {"selector",
                       {{"matchLabels",
                         {{kClusterLabel, context.names.cluster},
                          {kPatroniLabel, context.names.patroni_scope()}}}}}};
    apply(observed, kube::kPodDisruptionBudgets, std::move(budget), plan);
    return;
  }
  const kube::Object* left = observed.find(kube::kPodDisruptionBudgets, name);
  if (left != nullptr && !left->being_deleted()) {
    plan.actions.push_back(
        removal_of(kube::kPodDisruptionBudgets, *left, "a single member has no disruption budget"));
  }
}

}  // namespace pgc::reconcile
