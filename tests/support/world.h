// my-db in a cluster that lives: the operator's loop without its threads on an API server in
// memory, and beside it, in small steps, whatever else acts there: the StatefulSet controller,
// kubelets, Patroni, the garbage collector, people.
//
// Every step is written into the story. What must never happen is written down as harm.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "operator/execute.h"
#include "shared/reconcile/names.h"
#include "tests/support/api_server.h"
#include "tests/support/drawing.h"

namespace pgc::test {

class World {
 public:
  explicit World(const std::string& spec);

  // The operator: observes, plans, executes. Returns what it did, or tried to.
  std::vector<std::string> turn();

  // One of the others does one thing, chosen by `choice`; false where nothing is to be done.
  bool move(int choice = 0);
  // Turns and moves until nothing happens any more; harm where that does not end.
  void settle();

  // Whims of people and machines. A member that is not there is nobody's business.
  void create_cluster(const std::string& spec);
  void remove_cluster();
  void scale(int replicas);
  void kill(int number);          // its pod is deleted
  void sicken(int number);        // it runs, but does not serve, until it is looked after (move)
  void fail_over();               // another member becomes the leader
  void delete_child(int choice);  // any object of ours but volumes and Secrets

  bool exists();
  int wanted();
  std::size_t members();
  std::string phase();
  std::string drawing();                 // "1 primary, 2 replica"
  std::vector<std::string> left_over();  // "secrets my-db-app"
  kube::Json secret(const std::string& name);
  std::string story() const;
  const std::vector<std::string>& harm() const { return harm_; }

  ApiServer server;

 private:
  using Move = std::function<void()>;

  void tell(const std::string& what) { story_.push_back(what); }
  void watch_for_harm(const reconcile::Observed& observed, const reconcile::Plan& plan);
  std::vector<Move> possible_moves();
  void stateful_set_moves(std::vector<Move>& moves);
  void pod_moves(std::vector<Move>& moves);
  void volume_moves(std::vector<Move>& moves);
  void patroni_moves(std::vector<Move>& moves);
  void make_pod(const kube::Object& set);
  void bootstrap(const std::string& pod);
  void promote(const std::string& pod);
  std::vector<std::string> serving();  // pods that run and are not ending
  std::string leader();
  std::vector<kube::Object> all(const kube::ResourceType& type);
  kube::ObjectRef ref(const kube::ResourceType& type, const std::string& name) const;

  const reconcile::Names names_{"my-db"};
  Log log_{[](const std::string&) {}};
  Executor executor_{server, log_};
  std::vector<std::string> story_;
  std::vector<std::string> harm_;
  std::set<std::string> sick_;  // pods
};

}  // namespace pgc::test
