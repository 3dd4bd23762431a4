// Which clusters are to be looked at, and when. A key stands in it once however often it is added,
// and is never handed to two workers at the same time: what is added meanwhile comes again after
// done(). Keys that fail wait longer each time.
//
// Safe from several threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

namespace pgc {

struct ClusterKey {
  std::string ns;
  std::string name;
  auto operator<=>(const ClusterKey&) const = default;
};

class WorkQueue {
 public:
  using Clock = std::chrono::steady_clock;

  void add(const ClusterKey& key);
  void add_after(const ClusterKey& key, std::chrono::milliseconds delay);
  // After a failure: 0.2 s, doubling with each failure in a row up to 60 s.
  void add_failed(const ClusterKey& key);
  void forget_failures(const ClusterKey& key);

  // Blocks until a key is due; nothing when stopped. Whoever takes a key must call done() with it.
  std::optional<ClusterKey> take(std::stop_token stop);
  void done(const ClusterKey& key);

 private:
  void add_locked(const ClusterKey& key);
  void add_at_locked(const ClusterKey& key, Clock::time_point due);
  // Moves what is due to ready_; returns when to look again.
  Clock::time_point promote_due_locked();

  std::mutex mutex_;
  std::condition_variable_any changed_;
  // All guarded by mutex_.
  std::deque<ClusterKey> ready_;
  std::set<ClusterKey> waiting_;  // in ready_, or to be put there by done()
  std::set<ClusterKey> taken_;
  std::map<ClusterKey, Clock::time_point> later_;  // a key has one alarm: the earliest asked for
  std::uint64_t alarms_ = 0;                       // counts changes of later_, for whoever waits
  std::map<ClusterKey, int> failures_;
};

}  // namespace pgc
