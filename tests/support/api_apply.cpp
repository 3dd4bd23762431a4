#include "tests/support/api_apply.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/api_answer.h"

namespace pgc::test {
namespace {

using kube::Json;

FieldSet common(const FieldSet& a, const FieldSet& b) {
  FieldSet result;
  std::ranges::set_intersection(a, b, std::inserter(result, result.end()));
  return result;
}

void subtract(FieldSet& from, const FieldSet& fields) {
  for (const std::string& field : fields) from.erase(field);
}

// The writer's sight: what differs has become another's, or nobody's.
FieldSet changed_by(const Differences& differences) {
  FieldSet result = differences.added;
  result.insert(differences.modified.begin(), differences.modified.end());
  return result;
}

std::string title(const Manager& manager) {
  std::string text = "\"" + manager.name + "\"";
  if (!manager.subresource.empty()) text += " with subresource \"" + manager.subresource + "\"";
  if (manager.operation == Operation::kUpdate) text += " using " + manager.api_version;
  return text;
}

std::unexpected<kube::Error> refusal(const Managers& conflicts) {
  std::vector<kube::Cause> causes;
  std::string several;
  for (const auto& [manager, fields] : conflicts) {
    several += (several.empty() ? "conflicts with " : "\nconflicts with ") + title(manager) + ":";
    for (const std::string& field : fields) {
      causes.push_back({field, "conflict with " + title(manager)});
      several += "\n- " + field;
    }
  }
  const std::string count = std::to_string(causes.size());
  auto error =
      causes.size() == 1
          ? answer(409, "Conflict",
                   "Apply failed with 1 conflict: " + causes.front().message + ": " +
                       causes.front().field)
          : answer(409, "Conflict", "Apply failed with " + count + " conflicts: " + several);
  error.error().causes = std::move(causes);
  return error;
}

Managers conflicts_of(const Managers& managers, const FieldSet& changed, const Manager& who) {
  Managers result;
  for (const auto& [manager, fields] : managers) {
    if (manager == who) continue;
    if (FieldSet both = common(fields, changed); !both.empty()) result[manager] = std::move(both);
  }
  return result;
}

void drop(Managers& managers, const FieldSet& fields, const Manager& who) {
  for (auto& [manager, owned] : managers) {
    if (manager != who) subtract(owned, fields);
  }
}

void drop_empty(Managers& managers) {
  std::erase_if(managers, [](const auto& entry) { return entry.second.empty(); });
}

bool others_have(const Managers& managers, const Manager& who, const std::string& field) {
  return std::ranges::any_of(managers, [&](const auto& entry) {
    return entry.first != who && at_or_below(entry.second, field);
  });
}

// What the manager had and no longer wants, and nobody else has.
FieldSet given_up(const Managers& managers, const Manager& who, const FieldSet& wanted) {
  FieldSet result;
  const auto before = managers.find(who);
  if (before == managers.end()) return result;
  for (const std::string& field : before->second) {
    if (!wanted.contains(field) && !others_have(managers, who, field)) result.insert(field);
  }
  return result;
}

}  // namespace

kube::Result<Applied> apply(const Json& live, const Managers& managers, const Json& config,
                            const Manager& who, bool force) {
  Applied result{merged(live, config), managers};
  const FieldSet wanted = fields_of(config);
  take_away(result.document, given_up(managers, who, wanted));
  const Differences made = differences(live, result.document);
  const Managers conflicts = conflicts_of(managers, changed_by(made), who);
  if (!conflicts.empty() && !force) return refusal(conflicts);
  for (const auto& [manager, fields] : conflicts) subtract(result.managers[manager], fields);
  drop(result.managers, made.removed, who);
  result.managers[who] = wanted;
  drop_empty(result.managers);
  return result;
}

void update_managers(Managers& managers, const Json& before, const Json& after,
                     const Manager& who) {
  if (before == after) return;
  const Differences made = differences(before, after);
  const FieldSet changed = changed_by(made);
  drop(managers, changed, who);
  drop(managers, made.removed, who);
  FieldSet& own = managers[who];
  subtract(own, made.removed);
  own.insert(changed.begin(), changed.end());
  drop_empty(managers);
}

}  // namespace pgc::test
