// Plays the parts of Kubernetes and of Patroni that are missing on a control plane without nodes:
// watches what an operator makes, and writes what they would write. The moves are moves.h's.
//
//   watch -> scene of the cluster -> next_moves -> write -> the answer goes into the scene
//
// Every cluster belongs to one thread, so that nothing is done twice, and each thread writes one
// thing after the other.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "shared/kube/client.h"
#include "shared/kube/reflector.h"
#include "shared/log/log.h"
#include "tests/player/moves.h"

namespace pgc::player {

struct PlayerOptions {
  std::string ns = {};                       // empty: all
  std::chrono::milliseconds period{10'000};  // of each cluster's heartbeat; 0: none
  unsigned threads = 4;
};

// Counts since the start.
struct Tally {
  std::atomic<std::int64_t> moves{0};
  std::atomic<std::int64_t> heartbeats{0};  // of whole clusters
  std::atomic<std::int64_t> failures{0};    // writes that were refused or got no answer
  std::atomic<std::int64_t> latest_ms{0};   // how late the latest heartbeat was
};

class Player {
 public:
  // `client` and `log` must outlive it.
  Player(kube::Client& client, PlayerOptions options, const Log& log);

  void run(std::stop_token stop);
  const Tally& tally() const { return tally_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Key {
    std::string ns;
    std::string name;
    auto operator<=>(const Key&) const = default;
  };
  // One thread's clusters.
  struct Hand {
    std::mutex mutex;
    std::condition_variable_any woken;
    bool news = false;                      // since the thread looked last; guarded by mutex
    std::map<Key, Scene> scenes;            // guarded by mutex
    std::map<Key, Clock::time_point> due;   // of the next turn; guarded by mutex
    std::map<Key, Clock::time_point> beat;  // of the next heartbeat; the thread's own
  };

  void follow(const kube::ResourceType& type, const kube::Change& change);
  void collect_garbage(const kube::Change& owner);
  Hand& hand_of(const Key& key);
  void play(Hand& hand, std::stop_token stop);
  bool take(Hand& hand, std::stop_token stop, Key& key);
  void turn(Hand& hand, const Key& key);
  bool beat_is_due(Hand& hand, const Key& key, Clock::time_point now);
  Scene scene_of(Hand& hand, const Key& key);
  bool perform(Hand& hand, const Key& key, const std::vector<Move>& moves);
  kube::Result<void> perform(Hand& hand, const Key& key, const Move& move);

  kube::Client& client_;
  const PlayerOptions options_;
  const Log& log_;
  kube::Cache cache_;
  std::vector<std::unique_ptr<kube::Reflector>> reflectors_;
  std::vector<std::unique_ptr<Hand>> hands_;
  Tally tally_;
};

}  // namespace pgc::player
