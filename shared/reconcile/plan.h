// The core: from what is observed to what to write. A pure function of its arguments; it does no
// I/O, reads no clock, draws no random number, keeps no state, and never throws.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared/reconcile/action.h"
#include "shared/reconcile/observed.h"
#include "shared/reconcile/settings.h"

namespace pgc::reconcile {

using TimePoint = std::chrono::sys_seconds;

struct Plan {
  // In this order; an action that fails ends the execution, the next plan starts afresh.
  std::vector<Action> actions;
  // Objects of our own that are to be there, whether anything must be done about them or not.
  std::set<kube::ObjectRef> wanted;
  // The whole of .status to apply, or nothing where it stands already.
  std::optional<kube::Object> status;
  std::vector<Event> events;
  // Look again after this time even if nothing happens. Nothing: only when something happens.
  std::optional<std::chrono::seconds> look_again;
};

// A converged cluster gets an empty plan.
Plan plan(const Observed& observed, const Settings& settings, TimePoint now);

// The plan for a cluster that can't be worked on: nothing but its status. `reason` is CamelCase,
// `message` for people. Of `observed.cluster` only the name, namespace and generation are looked
// at.
Plan refuse(const Observed& observed, const std::string& reason, const std::string& message,
            TimePoint now);

}  // namespace pgc::reconcile
