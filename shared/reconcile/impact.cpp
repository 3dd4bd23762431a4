#include "shared/reconcile/impact.h"

#include <algorithm>
#include <array>
#include <set>

#include "shared/reconcile/intent.h"
#include "shared/schema/rules/managed_parameters.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::reconcile {
namespace {

using Effects = std::vector<Effect>;
using Amounts = std::map<std::string, std::string>;
constexpr std::size_t kMaxWarning = 120;

// plan() refuses to work on a spec of another major than the data's, so nothing else happens
// either. A lower one takes such a change back: no other is let in (rules/version.cpp).
Effect of_version() {
  return {.field = "spec.version",
          .cost = Cost::kDowntime,
          .when = When::kNever,
          .note =
              "pgc does not upgrade existing data: this and every other change waits until it is "
              "set back"};
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

// A replica must not have less of these than the primary.
constexpr std::array<std::string_view, 5> kPrimaryFirst = {
    "max_connections", "max_locks_per_transaction", "max_prepared_transactions", "max_wal_senders",
    "max_worker_processes"};

// One parameter of both objects; absent where an object does not set it.
struct ParameterChange {
  const std::string& name;
  const std::string* before;
  const std::string* after;
};

const std::string* find(const Amounts& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? nullptr : &found->second;
}

double number_of(const schema::Parameter& parameter, const std::string* text) {
  const std::string value(text == nullptr ? schema::running_default(parameter) : *text);
  return schema::read_value(parameter, value).value_or(0);
}

std::string_view text_or_default(const schema::Parameter& parameter, const std::string* text) {
  return text == nullptr ? schema::running_default(parameter) : std::string_view(*text);
}

bool is_same(const schema::Parameter& parameter, const ParameterChange& change) {
  if (parameter.kind == schema::ParameterKind::kString)
    return text_or_default(parameter, change.before) == text_or_default(parameter, change.after);
  return number_of(parameter, change.before) == number_of(parameter, change.after);
}

// Patroni reloads by itself, and only marks what needs a restart (pending_restart).
Effect of_parameter(const ParameterChange& change, int version) {
  Effect effect{
      .field = "spec.postgresql.parameters." + change.name, .cost = Cost::kReload, .note = {}};
  const schema::Parameter* parameter = schema::find_parameter(version, change.name);
  if (parameter == nullptr || parameter->context != schema::ParameterContext::kPostmaster)
    return effect;
  if (is_same(*parameter, change)) return effect;
  effect.cost = Cost::kRollingRestart;
  effect.when = When::kNextRestart;
  effect.primary_first = std::ranges::find(kPrimaryFirst, parameter->name) != kPrimaryFirst.end() &&
                         number_of(*parameter, change.after) < number_of(*parameter, change.before);
  return effect;
}

void of_parameters(const schema::PostgresCluster& old_cluster,
                   const schema::PostgresCluster& wanted, Effects& effects) {
  std::set<std::string> names;
  for (const auto* parameters : {&old_cluster.parameters, &wanted.parameters})
    for (const auto& [name, value] : *parameters) names.insert(name);
  for (const std::string& name : names) {
    const ParameterChange change{name, find(old_cluster.parameters, name),
                                 find(wanted.parameters, name)};
    const bool unchanged =
        change.before != nullptr && change.after != nullptr && *change.before == *change.after;
    if (!unchanged) effects.push_back(of_parameter(change, wanted.version));
  }
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
  if (wanted.version > old_cluster.version) return {{of_version()}};
  of_replicas(old_cluster, wanted, result.effects);
  of_resources(old_cluster, wanted, result.effects);
  of_parameters(old_cluster, wanted, result.effects);
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
