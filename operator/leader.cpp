#include "operator/leader.h"

#include <nlohmann/json.hpp>
#include <thread>

#include "shared/kube/pause.h"
#include "shared/kube/time.h"

namespace pgc {
namespace {

using kube::Json;
using std::chrono::seconds;

LeaseView view_of(const kube::Object& lease) {
  return {.holder = std::string(kube::string_at(lease.json(), {"spec", "holderIdentity"})),
          .renew_time = std::string(kube::string_at(lease.json(), {"spec", "renewTime"})),
          .duration = seconds(kube::int_at(lease.json(), {"spec", "leaseDurationSeconds"}))};
}

}  // namespace

LeaderElection::LeaderElection(kube::Client& client, Fence& fence, LeaseOptions options,
                               const Log& log)
    : client_(client), fence_(fence), options_(std::move(options)), log_(log) {}

bool LeaderElection::run(std::stop_token stop, const std::function<void(std::stop_token)>& lead) {
  auto begun = acquire(stop);
  while (begun) {
    const bool lost = !lead_from(*begun, stop, lead);
    if (!lost) {
      release();
      return true;
    }
    begun = regain(stop);
  }
  return stop.stop_requested();
}

// When the attempt began that has made the lease ours; nothing where it was stopped before.
std::optional<LeaderElection::Clock::time_point> LeaderElection::acquire(std::stop_token stop) {
  while (true) {
    const auto begun = Clock::now();
    if (acquire_or_renew()) return begun;
    if (!kube::pause_for(options_.retry_period, stop)) return std::nullopt;
  }
}

// As acquire; nothing, too, where somebody else has it or has had it since.
std::optional<LeaderElection::Clock::time_point> LeaderElection::regain(std::stop_token stop) {
  while (kube::pause_for(after_failure(), stop)) {
    const auto begun = Clock::now();
    if (acquire_or_renew()) return begun;
    if (!seen_.holder.empty() && seen_.holder != options_.identity) return std::nullopt;
  }
  release();
  return std::nullopt;
}

// False when the lease was lost.
bool LeaderElection::lead_from(Clock::time_point begun, std::stop_token stop,
                               const std::function<void(std::stop_token)>& lead) {
  log_.info("leading",
            {{"lease", options_.ns + "/" + options_.name}, {"identity", options_.identity}});
  fence_.open_until(begun + options_.renew_deadline);
  leading_ = true;
  bool lost = false;
  {
    std::jthread work([&](std::stop_token ended) { lead(ended); });
    // A renewal may hang for as long as a request may, which is longer than the lease lasts.
    const std::jthread watchdog([&](std::stop_token ended) {
      while (!overdue() && kube::pause_for(options_.renew_deadline / 20, ended)) {
      }
      if (overdue()) work.request_stop();
    });
    lost = !keep_renewing(stop);
    work.request_stop();
  }
  leading_ = false;
  fence_.close();
  if (const auto late = fence_.refused(); late > 0) {
    log_.warning("writes that came after the lease were not sent",
                 {{"writes", std::to_string(late)}});
  }
  return !lost;
}

// False when the lease was lost.
bool LeaderElection::keep_renewing(std::stop_token stop) {
  auto pause = options_.retry_period;
  while (kube::pause_for(pause, stop)) {
    const auto begun = Clock::now();
    const bool renewed = !overdue() && acquire_or_renew();
    if (renewed) {
      fence_.open_until(begun + options_.renew_deadline);
    } else if (overdue()) {
      log_.error("lost the lease", {{"lease", options_.ns + "/" + options_.name}});
      return false;
    }
    pause = renewed ? options_.retry_period : after_failure();
  }
  return true;
}

bool LeaderElection::held_by_other(const LeaseView& view) {
  const bool moved = view.holder != seen_.holder || view.renew_time != seen_.renew_time;
  if (moved) {
    seen_ = view;
    seen_at_ = Clock::now();
  }
  const bool expired = Clock::now() - seen_at_ > view.duration;
  return !view.holder.empty() && view.holder != options_.identity && !expired;
}

bool LeaderElection::acquire_or_renew() {
  const auto lease = client_.get({kube::kLeases, options_.ns, options_.name});
  if (!lease) {
    if (lease.error().is(kube::ErrorKind::kNotFound)) return write(nullptr, options_.identity, 0);
    log_.warning("cannot read the lease", {{"error", lease.error().message}});
    return false;
  }
  const LeaseView view = view_of(*lease);
  if (held_by_other(view)) return false;
  const std::int64_t transitions = kube::int_at(lease->json(), {"spec", "leaseTransitions"});
  return write(&*lease, options_.identity,
               transitions + (view.holder == options_.identity ? 0 : 1));
}

// Carries the resourceVersion of what was read, so that of two candidates one fails.
bool LeaderElection::write(const kube::Object* existing, const std::string& holder,
                           std::int64_t transitions) {
  const std::string now = kube::rfc3339_micro(
      std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()));
  Json lease = existing != nullptr
                   ? existing->json()
                   : Json{{"apiVersion", kube::kLeases.api_version()},
                          {"kind", kube::kLeases.kind},
                          {"metadata", {{"name", options_.name}, {"namespace", options_.ns}}}};
  const bool same = kube::string_at(lease, {"spec", "holderIdentity"}) == holder;
  lease["spec"]["holderIdentity"] = holder;
  lease["spec"]["leaseDurationSeconds"] = holder.empty() ? 1 : options_.duration.count();
  lease["spec"]["renewTime"] = now;
  if (!same) lease["spec"]["acquireTime"] = now;
  lease["spec"]["leaseTransitions"] = transitions;
  const kube::WriteOptions options{.field_manager = "pgc-operator"};
  const auto written =
      existing == nullptr
          ? client_.create(kube::kLeases, options_.ns, kube::Object(std::move(lease)), options)
          : client_.replace({kube::kLeases, options_.ns, options_.name},
                            kube::Object(std::move(lease)), options);
  if (!written) log_.warning("cannot write the lease", {{"error", written.error().message}});
  return written.has_value();
}

// So that the next one need not wait for the lease to expire.
void LeaderElection::release() {
  const auto lease = client_.get({kube::kLeases, options_.ns, options_.name});
  if (!lease || view_of(*lease).holder != options_.identity) return;
  write(&*lease, "", kube::int_at(lease->json(), {"spec", "leaseTransitions"}));
}

}  // namespace pgc
