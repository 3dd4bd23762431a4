// What a change of a PostgresCluster costs its members, told from the two objects alone.
//
// Pure, and today's truth: it says what this version of the operator and Patroni do with a change,
// not what a later one could do. What the installation decides (image, TLS mode) is not known here;
// where that matters, the dearer answer is given. A property test holds it to plan().
#pragma once

#include <string>
#include <vector>

#include "shared/schema/postgres_cluster.h"

namespace pgc::reconcile {

// What a member goes through, cheapest first.
enum class Cost {
  kNothing,
  kReload,          // PostgreSQL reads its configuration again; no connection is lost
  kRollingRestart,  // each member restarts; its connections are lost
  kSwitchover,      // another member becomes the primary; every write connection is lost
  kDowntime,        // nobody serves for a while
};

enum class When {
  kAtOnce,       // within seconds, by itself
  kNextRestart,  // once PostgreSQL restarts, which nobody does by itself
  kNextPod,      // once the pod is replaced, which nobody does by itself
  kNever,        // this version of the operator holds it back
};

// One change and its price.
struct Effect {
  std::string field;  // spec.postgresql.parameters.max_connections
  Cost cost = Cost::kNothing;
  When when = When::kAtOnce;
  // A restart must fall on the primary first: replicas with the smaller value would not start
  // (https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-ADMIN).
  bool primary_first = false;
  std::string note;  // for people, what is not said by the rest; may be empty
};

struct Impact {
  std::vector<Effect> effects;  // in the order of the fields; those that cost nothing are left out

  Cost cost() const;  // the dearest
};

Impact impact(const schema::PostgresCluster& old_cluster, const schema::PostgresCluster& wanted);

// For people at admission: what does not simply happen at once. At most 120 characters each.
std::vector<std::string> warnings_of(const Impact& impact);

// nothing, reload, rolling restart, switchover, downtime.
std::string_view to_string(Cost cost);

}  // namespace pgc::reconcile
