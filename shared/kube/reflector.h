// Keeps one resource type of the cache as the API server has it: list, then watch, then watch again
// from where the last one ended, and list anew where the server has forgotten that place.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>

#include "shared/kube/cache.h"

namespace pgc::kube {

class Reflector {
 public:
  using Listener = std::function<void(const Change&)>;
  using ErrorListener = std::function<void(const ResourceType&, const Error&)>;

  // `client`, `cache` must outlive it. Both listeners are called from the thread in run();
  // `changed` after the cache holds the change.
  Reflector(Client& client, Cache& cache, ResourceType type, ListOptions options, Listener changed,
            ErrorListener failed);

  // Blocks until stopped. Errors are told, then tried again after 0.5 s to 30 s, doubling.
  void run(std::stop_token stop);

  // The cache has held a complete list since. Any thread.
  bool synced() const { return synced_; }

 private:
  Result<void> list_and_watch(std::stop_token stop);
  Result<void> relist();
  void take(const WatchEvent& event);

  Client& client_;
  Cache& cache_;
  const ResourceType type_;
  const ListOptions options_;
  const Listener changed_;
  const ErrorListener failed_;

  std::string resource_version_;  // empty: list first
  std::atomic<bool> synced_{false};
};

}  // namespace pgc::kube
