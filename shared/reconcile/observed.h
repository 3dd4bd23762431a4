// What is known of one PostgresCluster at one moment: the input of the plan.
//
// A plain value that a test can write by hand. Only a complete observation becomes an Observed:
// where a read failed there is none, so nothing unknown is ever taken for absent (but Secrets,
// which are only ever made where there is none of that name).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared/kube/object.h"
#include "shared/schema/postgres_cluster.h"

namespace pgc::reconcile {

struct Observed {
  kube::Object resource;            // the PostgresCluster as the API server has it
  schema::PostgresCluster cluster;  // the same, typed and valid

  // Live objects that carry the cluster's labels: ours and Patroni's. Secrets are not in it.
  std::map<kube::ObjectRef, kube::Object> objects;
  // Names of the cluster's Secrets that exist; none of a cluster of which nothing else is there.
  std::set<std::string> secrets;

  // What the last execution of a plan failed with, for the status.
  std::optional<std::string> last_error;

  const kube::Object* find(const kube::ResourceType& type, const std::string& name) const;
  std::vector<const kube::Object*> all(const kube::ResourceType& type) const;
};

// What Patroni publishes of one member in its pod's `status` annotation, joined with the pod.
// https://patroni.readthedocs.io/en/latest/kubernetes.html
struct Member {
  int number = 0;
  std::string instance;  // my-db-1
  std::string pod;       // my-db-1-0
  std::string node;
  std::string role;   // primary, replica, or empty while it starts
  std::string state;  // running, streaming, starting, ...
  std::int64_t timeline = 0;
  std::int64_t position = 0;    // WAL bytes; 0: not known
  bool ready = false;           // the pod's Ready condition
  std::string blocked;          // what keeps the pod from running, for people; empty: nothing known
  std::int64_t data_free = 0;   // bytes of the data volume, as the agent reports them
  std::int64_t data_total = 0;  // 0: not known
  bool terminating = false;
  bool pending_restart = false;

  // Fit to serve: a primary that runs, or a replica that streams.
  bool healthy() const;
};

struct Topology {
  std::vector<Member> members;  // by number
  std::string leader;           // pod that holds the leader lock; empty: none
  std::int64_t leader_position = 0;
  std::int64_t leader_timeline = 0;
  std::string system_identifier;  // empty: not initialized

  const Member* primary() const;  // the leader, where its pod is known and runs as primary
};

Topology topology_of(const Observed& observed);

}  // namespace pgc::reconcile
