// A PostgresCluster and its members, drawn as text, as the plan observes them:
//
//   my-db-1  primary  running    leader
//   my-db-2  replica  streaming  position=4096
//   my-db-3  replica  starting   not-ready
//   my-db-4  -        -          no-pod
//
// A line is an instance: its name, its role label and the state that Patroni publishes ("-": none).
// Further words: leader (holds the lock; its position is the leader's), not-ready, terminating,
// no-pod, no-set, no-volume, unbound (its volume claim), pending-restart, unschedulable,
// waiting=REASON, position=N, timeline=N, node=NAME.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/reconcile/plan.h"

namespace pgc::test {

// 16: an image with TLS; 17: one without.
reconcile::Settings settings();

// my-db in the namespace shop, as stored: with this spec (YAML) and, after the first plan, the
// finalizer.
kube::Json resource(std::string_view spec);

// Nothing of the cluster exists but the resource.
reconcile::Observed bare(std::string_view spec);
// The cluster with these members, initialized unless there are none.
reconcile::Observed drawn(std::string_view spec, std::string_view members);

// 2026-01-31T12:00:00Z
reconcile::TimePoint noon();
reconcile::Plan plan_of(const reconcile::Observed& observed);

// What a plan does, a line each; with `beginning` only the lines that begin so, without it.
std::vector<std::string> lines(const reconcile::Plan& plan, std::string_view beginning = "");
// The object that a plan applies, or null.
const kube::Object* applied(const reconcile::Plan& plan, const kube::ResourceType& type,
                            const std::string& name);

}  // namespace pgc::test
