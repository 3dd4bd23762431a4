// Cuts connections whose time is up: one thread for all, since no library ends a peer that sends a
// byte now and then.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

#include "shared/kube/connection.h"

namespace pgc::kube {

// Any thread.
class Deadlines {
 public:
  Deadlines();

  // While it lives, the connection is cut when the deadline comes. The connection must outlive it.
  class Guard {
   public:
    Guard(Deadlines& owner, Connection& connection, Deadline deadline);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    // The deadline is met.
    void lift();

   private:
    Deadlines& owner_;
    std::multimap<Deadline, Connection*>::iterator place_;
    bool armed_ = true;
  };

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  // Guarded by mutex_.
  std::condition_variable_any earlier_;
  std::multimap<Deadline, Connection*> armed_;
  Deadline wakes_ = Deadline::max();

  std::jthread thread_;  // last: it uses the others
};

}  // namespace pgc::kube
