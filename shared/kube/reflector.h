// Keeps one resource type of the cache as the API server has it: list, then watch, then watch again
// from where the last one ended, and list anew where the server has forgotten that place.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
//
// The list comes as the beginning of the watch where the server can do that (streaming lists, since
// Kubernetes 1.32): item by item, so that neither side ever holds all of them at once. Elsewhere it
// is a list.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>

#include "shared/kube/cache.h"

namespace pgc::kube {

// All are called from the thread in run(); none may be null but `began`.
struct ReflectorHooks {
  std::function<void(const Change&)> changed;  // the cache holds it already
  std::function<void(const ResourceType&, const Error&)> failed;
  // A list, or a watch that goes on where another one ended.
  enum class Beginning { kList, kWatch };
  std::function<void(const ResourceType&, Beginning)> began = {};
  std::function<double()> random;  // at least 0, less than 1: waits are not everybody's
};

class Reflector {
 public:
  // `client`, `cache` must outlive it.
  Reflector(Client& client, Cache& cache, ResourceType type, ListOptions options,
            ReflectorHooks hooks);

  // Blocks until stopped. Errors are told, then tried again, each time later as long as nothing
  // comes: after 50 ms to 1.5 s where nobody answers, a watch is cut off or ends at once without a
  // word, so that five cuts in a row and a restart of the API server are made up for within two
  // seconds; after 0.5 s to 30 s where it answers with an error.
  void run(std::stop_token stop);

  // The cache has held a complete list since. Any thread.
  bool synced() const { return synced_; }

 private:
  Result<void> list_and_watch(std::stop_token stop);
  Result<void> stream(std::stop_token stop);
  Result<void> relist();
  Result<void> watch(std::stop_token stop);
  void begin(ReflectorHooks::Beginning beginning);
  void take_listed(const WatchEvent& event);
  void take(const WatchEvent& event);
  void complete(std::string_view resource_version);
  void tell(const Change& change);
  void progress();
  void reached(std::string_view resource_version);
  std::chrono::milliseconds wait_after(const Error& error);

  Client& client_;
  Cache& cache_;
  const ResourceType type_;
  const ListOptions options_;
  const ReflectorHooks hooks_;

  bool streams_ = true;           // false once the server has said that it can't
  std::string resource_version_;  // empty: list first
  std::set<Cache::Name> listed_;  // while a list comes as a stream
  // In a row, each for itself: that a server answers again, if only with an error, is news. One
  // that was away begins a new row: a server that starts refuses at first, until it knows
  // everybody's rights.
  int unanswered_ = 0;
  int refused_ = 0;
  std::atomic<bool> synced_{false};
};

}  // namespace pgc::kube
