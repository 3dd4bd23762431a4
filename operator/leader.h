// Leader election by a Lease, in client-go's terms: only the holder works, the others wait.
// https://pkg.go.dev/k8s.io/client-go/tools/leaderelection
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "operator/fence.h"
#include "shared/kube/client.h"
#include "shared/log/log.h"

namespace pgc {

struct LeaseOptions {
  std::string ns;
  std::string name = "pgc-operator";
  std::string identity;  // the pod's name and something random: a restarted pod is somebody else
  std::chrono::seconds duration{15};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
};

// What one candidate makes of the Lease as it reads it: pure, so that it can be tested by hand.
struct LeaseView {
  std::string holder;
  std::string renew_time;  // as written; only whether it moves counts, clocks may differ
  std::chrono::seconds duration{0};
};

class LeaderElection {
 public:
  using Clock = BootClock;

  // All must outlive it. The fence is open while the lease is ours, and shut after renew_deadline
  // without a renewal, well before anybody else may take it. The lease itself is written past it.
  LeaderElection(kube::Client& client, Fence& fence, LeaseOptions options, const Log& log);

  // Blocks until this candidate leads, then calls `lead` in a thread of its own and renews. When
  // the lease can't be renewed in time, `lead` is asked to stop, also while a renewal hangs, and
  // awaited. If nobody else has taken the lease meanwhile, as after an outage of the API server, it
  // is renewed all the same and `lead` called again, without waiting for a lease of our own to
  // expire; else run() returns false. When `stop` is requested, `lead` is ended likewise, the lease
  // is given back, and it returns true.
  bool run(std::stop_token stop, const std::function<void(std::stop_token)>& lead);

  bool leading() const { return leading_; }

 private:
  std::optional<Clock::time_point> acquire(std::stop_token stop);
  std::optional<Clock::time_point> regain(std::stop_token stop);
  bool lead_from(Clock::time_point begun, std::stop_token stop,
                 const std::function<void(std::stop_token)>& lead);
  // Between two attempts of whoever has led: there is no time to lose, and nobody else does it.
  std::chrono::milliseconds after_failure() const { return options_.retry_period / 4; }
  bool acquire_or_renew();
  bool write(const kube::Object* existing, const std::string& holder, std::int64_t transitions);
  bool held_by_other(const LeaseView& view);
  bool keep_renewing(std::stop_token stop);
  bool overdue() const { return !fence_.open(Clock::now()); }
  void release();

  kube::Client& client_;
  Fence& fence_;
  const LeaseOptions options_;
  const Log& log_;
  std::atomic<bool> leading_{false};

  // When the Lease was last seen to move, by our own clock.
  LeaseView seen_;
  Clock::time_point seen_at_{};
};

}  // namespace pgc
