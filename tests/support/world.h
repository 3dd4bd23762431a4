// my-db in a cluster that lives: the operator's turns without its threads on an API server in
// memory, and beside it, in small steps, whatever else acts there: the StatefulSet controller,
// kubelets, Patroni, the garbage collector, people.
//
// Every step is written into the story. What must never happen is written down as harm.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "operator/reconciler.h"
#include "shared/reconcile/names.h"
#include "tests/support/api_server.h"
#include "tests/support/drawing.h"
#include "tests/support/faulty_client.h"
#include "tests/support/view.h"

namespace pgc::test {

// One life of the operator: what it sees, and what it remembers.
class OperatorLife {
 public:
  OperatorLife(ApiServer& server, kube::Client& client, const reconcile::Settings& settings,
               const Log& log)
      : view(server), reconciler_(view, client, client, {settings, "pgc-operator-0"}, log) {
    view.catch_up();
  }
  Outcome turn(std::chrono::sys_seconds now) { return reconciler_.turn({"shop", "my-db"}, now); }

  View view;

 private:
  Reconciler reconciler_;
};

class World {
 public:
  explicit World(const std::string& spec);

  // The operator sees all that has happened, unless it is kept behind, and has a turn. Returns what
  // was written. Where it dies on the way, another one begins.
  std::vector<std::string> turn();
  void restart();
  // While it is behind, it sees only what it is shown through view().
  void keep_behind(bool behind) { behind_ = behind; }
  View& view() { return life_->view; }
  // Another operator that believes to lead as well has a turn.
  void turn_of_another();

  // One of the others does one thing, chosen by `choice`; false where nothing is to be done.
  bool move(int choice = 0);
  // Turns and moves until nothing happens any more; harm where that does not end.
  void settle();

  // Whims of people and machines. A member that is not there is nobody's business.
  void create_cluster(const std::string& spec);
  void remove_cluster();
  void scale(int replicas);
  void change_cluster(const kube::Json& merge);  // by an RFC 7396 patch
  void set_spec(const kube::Json& spec);
  void kill(int number);          // its pod is deleted
  void sicken(int number);        // it runs, but does not serve, until it is looked after (move)
  void fail_over();               // another member becomes the leader
  void delete_child(int choice);  // any object of ours but volumes and Secrets

  // Somebody changes a field, a label or an annotation of a child of ours.
  void deface(int choice);
  // Somebody deletes a child that a finalizer of theirs holds; release() takes that away.
  void hold(int choice);
  void release();

  bool exists();
  int wanted();
  std::size_t members();
  std::string phase();
  std::string drawing();                 // "1 primary, 2 replica"
  std::vector<std::string> left_over();  // "secrets my-db-app"
  kube::Json secret(const std::string& name);
  std::string story() const;
  const std::vector<std::string>& harm() const { return harm_; }

  // All objects but Events, without what is different each time.
  std::string picture();
  // The same without generations, bookkeeping of versions, and the cluster itself.
  std::string picture_of_children();
  // How often each object was created and deleted by the operator.
  const std::map<std::string, int>& made() const { return made_; }
  long checks() const { return checks_; }
  // Whether a log line or an object that is no Secret holds what stands in a Secret.
  bool tells_secrets();

  ApiServer server;
  FaultyClient client{server};  // what the operator talks to
  FaultyClient other_client{server};
  reconcile::Settings settings = test::settings();
  std::chrono::sys_seconds clock = noon();

 private:
  using Move = std::function<void()>;

  void tell(const std::string& what) { story_.push_back(what); }
  void turn_of(OperatorLife& life);
  void inspect(const FaultyClient::Call& call);
  void inspect_delete(const FaultyClient::Call& call);
  void inspect_set(const kube::Object& set, const std::string& line);
  static bool never_used(const kube::Object& volume);
  void inspect_volume(const kube::Object& volume, const std::string& line);
  void inspect_patch(const FaultyClient::Call& call);
  void count(const FaultyClient::Call& call);
  void harm_if(bool wrong, const std::string& what);
  int fewest_wanted();
  std::vector<kube::ObjectRef> children();
  std::vector<Move> possible_moves();
  void stateful_set_moves(std::vector<Move>& moves);
  void pod_moves(std::vector<Move>& moves);
  void volume_moves(std::vector<Move>& moves);
  void patroni_moves(std::vector<Move>& moves);
  static bool fits(const kube::Object& pod);
  void make_pod(const kube::Object& set);
  void bootstrap(const std::string& pod);
  void promote(const std::string& pod);
  std::vector<std::string> serving();  // pods that run and are not ending
  std::string leader();
  std::vector<kube::Object> all(const kube::ResourceType& type);
  kube::ObjectRef ref(const kube::ResourceType& type, const std::string& name) const;

  const reconcile::Names names_{"my-db"};
  std::vector<std::string> logged_;
  Log log_{[this](const std::string& line) { logged_.push_back(line); }};
  std::unique_ptr<OperatorLife> life_;
  std::unique_ptr<OperatorLife> other_life_;
  bool behind_ = false;
  bool unfinished_ = false;  // the last turn wants another one
  bool in_turn_ = false;
  bool contended_ = false;  // another one acts in the middle of this turn
  std::vector<int> asked_;  // the replicas that were asked for, in order
  std::map<std::string, std::int64_t> observed_generations_;  // by UID of the cluster
  std::map<std::string, int> made_;
  std::vector<kube::ObjectRef> held_;
  std::vector<kube::Object> taken_by_others_;  // StatefulSets
  long checks_ = 0;
  std::vector<std::string> story_;
  std::vector<std::string> harm_;
  std::set<std::string> sick_;  // pods
};

}  // namespace pgc::test
