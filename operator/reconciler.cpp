#include "operator/reconciler.h"

#include <algorithm>
#include <utility>

namespace pgc {
namespace {

using std::chrono::sys_seconds;

std::string text(const ClusterKey& key) {
  return key.ns + "/" + key.name;
}

bool deletes(const reconcile::Plan& plan) {
  return std::ranges::any_of(plan.actions, [](const reconcile::Action& action) {
    return std::holds_alternative<reconcile::Delete>(action);
  });
}

// The last hold on a cluster that is being deleted.
bool lets_go(const kube::Object& resource, const reconcile::Plan& plan) {
  return resource.being_deleted() &&
         std::ranges::any_of(plan.actions, [](const reconcile::Action& action) {
           const auto* patch = std::get_if<reconcile::Patch>(&action);
           return patch != nullptr && patch->ref.type == kube::kPostgresClusters;
         });
}

// What a turn did, as far as it came.
void note(std::vector<std::string>& did, const reconcile::Action& action) {
  const auto* apply = std::get_if<reconcile::Apply>(&action);
  did.push_back(reconcile::describe(action) + (apply == nullptr ? "" : ": " + apply->why));
}

}  // namespace

bool permanent(const kube::Error& error) {
  switch (error.kind) {
    case kube::ErrorKind::kNotFound:
    case kube::ErrorKind::kUnauthorized:  // a token that has run out is read anew
      return false;
    default:
      return !error.retryable();
  }
}

bool cured_unseen(const kube::Error& error) {
  return error.is(kube::ErrorKind::kForbidden) || error.is(kube::ErrorKind::kAlreadyExists);
}

Reconciler::Reconciler(kube::Reader& objects, kube::Reader& secrets, kube::Client& client,
                       Options options, const Log& log)
    : objects_(objects),
      secrets_(secrets),
      client_(client),
      log_(log),
      executor_(client, objects, log),
      events_(client, options.instance, log),
      settings_(std::move(options.settings)) {}

void Reconciler::use(reconcile::Settings settings) {
  const std::lock_guard lock(mutex_);
  settings_ = std::move(settings);
}

reconcile::Settings Reconciler::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

Outcome Reconciler::turn(const ClusterKey& key, sys_seconds now) {
  auto observed = observe::observe(objects_, secrets_, key.ns, key.name);
  if (!observed) return refuse(key, observed.error(), now);
  kube::Object resource = observed->resource;
  reconcile::Plan plan = plan_for(key, *std::move(observed), now);
  if (deletes(plan) || lets_go(resource, plan)) {
    // A member that is gone already may still be seen, and another would go for it; one that leads
    // may not be seen yet, and lose its volume; and a cluster that is let go before its members are
    // seen leaves them behind for ever. So what cannot be undone is decided on what there is now.
    observed = observe::observe(client_, client_, key.ns, key.name);
    if (!observed) return refuse(key, observed.error(), now);
    resource = observed->resource;
    plan = plan_for(key, *std::move(observed), now);
  }
  return execute(key, resource, plan, now);
}

reconcile::Plan Reconciler::plan_for(const ClusterKey& key, reconcile::Observed observed,
                                     sys_seconds now) {
  {
    const std::lock_guard lock(mutex_);
    observed.last_error = memory_[key].last_error;
  }
  drop_deleted(key, observed);
  return reconcile::plan(observed, settings(), now);
}

Outcome Reconciler::refuse(const ClusterKey& key, const observe::Refusal& refusal,
                           sys_seconds now) {
  if (refusal.broken) {
    const reconcile::Plan plan =
        reconcile::refuse(*refusal.broken, "Invalid", refusal.message, now);
    return execute(key, refusal.broken->resource, plan, now);
  }
  if (refusal.error && refusal.error->is(kube::ErrorKind::kNotFound)) {
    const std::lock_guard lock(mutex_);
    memory_.erase(key);
    return {.kind = Outcome::Kind::kGone};
  }
  log_.warning("cannot observe", {{"cluster", text(key)}, {"error", refusal.message}});
  return {.kind = Outcome::Kind::kFailed, .error = refusal.error};
}

Outcome Reconciler::execute(const ClusterKey& key, const kube::Object& resource,
                            const reconcile::Plan& plan, sys_seconds now) {
  Outcome outcome{.look_again = plan.look_again};
  std::size_t done = 0;
  auto result = confirm(resource, plan);
  if (result) {
    result = executor_.run(plan.actions, now, [&](const reconcile::Action& action) {
      remember_deleted(key, action);
      note(outcome.did, action);
      ++done;
    });
  }
  // Who is asked to come later comes later, with the status as well.
  const bool put_off = !result && result.error().retry_after;
  if (plan.status && !put_off) {
    if (auto written = executor_.write_status(*plan.status); !written) {
      log_.warning("cannot write status",
                   {{"cluster", text(key)}, {"error", written.error().message}});
      if (result) result = written;
    } else {
      outcome.did.emplace_back("status");
    }
  }
  // Also after the status alone: the answer to it may have brought somebody else's change into the
  // cache, of which the watch then tells nothing new.
  outcome.at_once = !outcome.did.empty();
  if (result) publish(resource, plan);
  if (remember_error(key, result)) outcome.at_once = true;
  outcome.progress = remember_progress(key, plan, done);
  if (result) return outcome;
  outcome.kind = permanent(result.error()) ? Outcome::Kind::kStuck : Outcome::Kind::kFailed;
  outcome.error = result.error();
  return outcome;
}

// Of two types of objects one may be seen older than the other: the cluster that is gone, beside
// the volumes of the one that has its name now. Before anything is deleted, the cluster itself is
// asked.
kube::Result<void> Reconciler::confirm(const kube::Object& resource, const reconcile::Plan& plan) {
  if (!deletes(plan)) return {};
  const kube::ObjectRef ref{kube::kPostgresClusters, std::string(resource.ns()),
                            std::string(resource.name())};
  const auto live = client_.get(ref);
  if (!live && !live.error().is(kube::ErrorKind::kNotFound)) return std::unexpected(live.error());
  if (live && live->uid() == resource.uid() && live->generation() == resource.generation()) {
    return {};
  }
  return std::unexpected(kube::Error{
      .kind = kube::ErrorKind::kConflict,
      .message = ref.to_string() + " is not any more what was seen; nothing is deleted"});
}

// A permanent error stands in the status until it is gone. True where that is news.
bool Reconciler::remember_error(const ClusterKey& key, const kube::Result<void>& result) {
  std::optional<std::string> error;
  if (!result && permanent(result.error())) error = result.error().message;
  if (!result && !error) return false;
  const std::lock_guard lock(mutex_);
  Memory& memory = memory_[key];
  return std::exchange(memory.last_error, error) != error;
}

// True where something was done, and what then failed is not what failed before.
bool Reconciler::remember_progress(const ClusterKey& key, const reconcile::Plan& plan,
                                   std::size_t done) {
  const std::string failed_at =
      done == plan.actions.size() ? "" : reconcile::describe(plan.actions[done]);
  const std::lock_guard lock(mutex_);
  return std::exchange(memory_[key].failed_at, failed_at) != failed_at && done > 0;
}

void Reconciler::publish(const kube::Object& resource, const reconcile::Plan& plan) {
  for (const reconcile::Event& event : plan.events) {
    events_.record(resource, event,
                   std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()));
  }
}

void Reconciler::remember_deleted(const ClusterKey& key, const reconcile::Action& action) {
  const auto* gone = std::get_if<reconcile::Delete>(&action);
  if (gone == nullptr) return;
  const std::lock_guard lock(mutex_);
  memory_[key].deleted.insert(gone->uid);
}

// The cache may still show what we have deleted: a second scale-in decided on it would take one
// member too many.
void Reconciler::drop_deleted(const ClusterKey& key, reconcile::Observed& observed) {
  const std::lock_guard lock(mutex_);
  std::set<std::string> still_shown;
  std::erase_if(observed.objects, [&](const auto& entry) {
    const std::string uid(entry.second.uid());
    if (!memory_[key].deleted.contains(uid)) return false;
    still_shown.insert(uid);
    return entry.first.type == kube::kStatefulSets;  // others may linger with a finalizer
  });
  memory_[key].deleted = std::move(still_shown);
}

}  // namespace pgc
