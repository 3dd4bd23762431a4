// Which clusters are to be looked at, and when: what the work queue decides, without its lock and
// its clock. A plain object; one thread; times are arguments.
//
// A key is looked at once however often it is added, in the order of first adding, and is never
// handed out twice at the same time: what is added meanwhile comes again after done(), behind all
// others that wait. So a cluster that changes all the time gets one turn of many, as the others do.
#pragma once

#include <chrono>
#include <compare>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "shared/kube/backoff.h"

namespace pgc {

struct ClusterKey {
  std::string ns;
  std::string name;
  auto operator<=>(const ClusterKey&) const = default;
};

// How a key that has failed comes again.
struct Retry {
  kube::BackoffLimits backoff = {};
  // What the server asks for. Until then the key is held: whatever changes meanwhile waits as well.
  std::chrono::milliseconds at_least{0};
};

class Schedule {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Turn {
    ClusterKey key;
    std::chrono::nanoseconds waited{0};  // since it was due
  };

  // What is known of one key, for people.
  struct State {
    bool waiting = false;  // due, or to come again after done()
    bool taken = false;
    std::optional<TimePoint> alarm;
    int failures = 0;  // in a row
    int repeats = 0;   // in a row, and nobody but ourselves asked for them
  };

  void add(const ClusterKey& key, TimePoint now);
  // An alarm: a key has one at most, the earliest asked for. It ends with the next turn, which
  // knows better.
  void add_at(const ClusterKey& key, TimePoint due);
  // Returns the wait, which grows with every failure in a row. `random`: at least 0, less than 1.
  std::chrono::milliseconds add_failed(const ClusterKey& key, const Retry& retry, TimePoint now,
                                       double random);
  void forget_failures(const ClusterKey& key);
  // Another turn after one that went well; the wait grows with every one in a row. Whoever adds the
  // key meanwhile has a reason of its own, and it counts anew.
  void add_repeat(const ClusterKey& key, const kube::BackoffLimits& limits, TimePoint now,
                  double random);
  void forget_repeats(const ClusterKey& key);

  // Whoever takes a key must call done() with it.
  std::optional<Turn> take(TimePoint now);
  void done(const ClusterKey& key);

  std::optional<TimePoint> next_alarm() const;
  std::size_t depth() const { return ready_.size(); }  // keys that are due and not taken
  State state(const ClusterKey& key) const;
  std::size_t size() const { return entries_.size(); }  // keys that anything is known of

 private:
  struct Entry {
    State state = {};
    TimePoint since = {};  // when it became due, while it waits
    TimePoint held = {};   // not before this
  };
  using Entries = std::map<ClusterKey, Entry>;

  void make_due(Entries::iterator at, TimePoint since);
  void hold(Entries::iterator at, TimePoint until);
  void forget(const ClusterKey& key, int State::* count);
  void end_alarm(Entries::iterator at);
  void drop_idle(Entries::iterator at);

  Entries entries_;  // what waits, is taken, has an alarm or has failed
  std::deque<Entries::iterator> ready_;
  std::set<std::pair<TimePoint, ClusterKey>> alarms_;
};

}  // namespace pgc
