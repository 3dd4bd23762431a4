#include "shared/reconcile/impact.h"

#include <algorithm>

#include "shared/reconcile/intent.h"

namespace pgc::reconcile {
namespace {

using Effects = std::vector<Effect>;
using Amounts = std::map<std::string, std::string>;
constexpr std::size_t kMaxWarning = 120;

// The data stays as it is, and plan() refuses to work on a spec of another major.
void of_version(const schema::PostgresCluster& old_cluster, const schema::PostgresCluster& wanted,
                Effects& effects) {
  if (wanted.version == old_cluster.version) return;
  effects.push_back({.field = "spec.version",
                     .cost = Cost::kDowntime,
                     .when = When::kNever,
                     .note = "held back: this version of pgc does not upgrade existing data "
                             "(Degraded, UpgradeNotAvailable)"});
}

// The volumes of members that go are the one thing that does not come back.
void of_replicas(const schema::PostgresCluster& old_cluster, const schema::PostgresCluster& wanted,
                 Effects& effects) {
  const int fewer = old_cluster.replicas - wanted.replicas;
  if (fewer <= 0 || wanted.storage.when_scaled != schema::RetentionPolicy::kDelete) return;
  effects.push_back(
      {.field = "spec.replicas",
       .note = "removes " + std::to_string(fewer) +
               (fewer == 1 ? " instance and its volume" : " instances and their volumes") +
               " (whenScaled is Delete)"});
}

Amounts stored(const Amounts& amounts) {
  Amounts result;
  for (const auto& [name, amount] : amounts) result[name] = stored_quantity(amount);
  return result;
}

// The template changes; StatefulSets are OnDelete.
void of_resources(const schema::PostgresCluster& old_cluster, const schema::PostgresCluster& wanted,
                  Effects& effects) {
  if (stored(old_cluster.resources.requests) == stored(wanted.resources.requests) &&
      stored(old_cluster.resources.limits) == stored(wanted.resources.limits)) {
    return;
  }
  effects.push_back({.field = "spec.resources",
                     .cost = Cost::kRollingRestart,
                     .when = When::kNextPod,
                     .note = {}});
}

// Who may connect is read anew; who is connected stays.
void of_tls(const schema::PostgresCluster& old_cluster, const schema::PostgresCluster& wanted,
            Effects& effects) {
  if (old_cluster.tls_mode == wanted.tls_mode) return;
  effects.push_back({.field = "spec.tls.mode", .cost = Cost::kReload, .note = {}});
}

std::string text_of(const Effect& effect) {
  if (!effect.note.empty()) return effect.note;
  switch (effect.when) {
    case When::kNextRestart:
      return effect.primary_first ? "takes effect at the next restart, of the primary first"
                                  : "takes effect at the next restart of PostgreSQL";
    case When::kNextPod:
      return "takes effect when a pod is replaced; pgc replaces none by itself";
    case When::kAtOnce:
    case When::kNever:
      break;
  }
  return {};
}

}  // namespace

Cost Impact::cost() const {
  Cost dearest = Cost::kNothing;
  for (const Effect& effect : effects) dearest = std::max(dearest, effect.cost);
  return dearest;
}

Impact impact(const schema::PostgresCluster& old_cluster, const schema::PostgresCluster& wanted) {
  Impact result;
  of_version(old_cluster, wanted, result.effects);
  of_replicas(old_cluster, wanted, result.effects);
  of_resources(old_cluster, wanted, result.effects);
  of_tls(old_cluster, wanted, result.effects);
  return result;
}

std::vector<std::string> warnings_of(const Impact& impact) {
  std::vector<std::string> warnings;
  for (const Effect& effect : impact.effects) {
    const std::string text = text_of(effect);
    if (!text.empty()) warnings.push_back((effect.field + ": " + text).substr(0, kMaxWarning));
  }
  return warnings;
}

std::string_view to_string(Cost cost) {
  switch (cost) {
    case Cost::kNothing:
      return "nothing";
    case Cost::kReload:
      return "reload";
    case Cost::kRollingRestart:
      return "rolling restart";
    case Cost::kSwitchover:
      return "switchover";
    case Cost::kDowntime:
      return "downtime";
  }
  return "";
}

}  // namespace pgc::reconcile
