// The connections of a client: idle ones wait for the next thread that needs one.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "shared/kube/connection.h"
#include "shared/kube/credentials.h"

namespace pgc::kube {

// A connection, and who it was opened as: a certificate is shown once, when it opens.
struct Pooled {
  std::unique_ptr<Connection> connection;
  Credential as;
};

// Any thread.
class ConnectionPool {
 public:
  using Clock = std::chrono::steady_clock;

  // Both must outlive it.
  ConnectionPool(const Endpoint& endpoint, Credentials& credentials);

  // An idle connection of who we are now, or another. It need not be given back.
  Result<Pooled> acquire(const Patience& patience);
  Result<Pooled> make_new(const Patience& patience);
  // Takes a connection back that has carried a whole answer.
  void release(Pooled pooled);

 private:
  struct Idle {
    Pooled pooled;
    Clock::time_point since;
  };

  Result<Pooled> open(Credential as) const;

  const Endpoint& endpoint_;
  Credentials& credentials_;

  std::mutex mutex_;
  std::vector<Idle> idle_;  // guarded by mutex_
};

}  // namespace pgc::kube
