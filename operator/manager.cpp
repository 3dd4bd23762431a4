#include "operator/manager.h"

#include <algorithm>
#include <thread>

#include "operator/events.h"
#include "operator/triggers.h"
#include "shared/kube/pause.h"
#include "shared/reconcile/names.h"

namespace pgc {
namespace {

using std::chrono::milliseconds;
using std::chrono::sys_seconds;

constexpr std::chrono::minutes kResync{10};

sys_seconds wall_clock() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// Our own status comes back as a change, too.
bool changes_spec(const kube::Change& change) {
  return !change.before || !change.after ||
         change.before->generation() != change.after->generation();
}

std::string text(const ClusterKey& key) {
  return key.ns + "/" + key.name;
}

}  // namespace

Manager::Manager(kube::Client& client, ManagerOptions options, const Log& log)
    : client_(client),
      options_(std::move(options)),
      log_(log),
      secrets_(client),
      executor_(client, log) {
  std::vector<kube::ResourceType> types = observe::child_types();
  types.push_back(kube::kPostgresClusters);
  for (const kube::ResourceType& type : types) {
    kube::ListOptions scope{.ns = options_.ns};
    if (type != kube::kPostgresClusters) {
      scope.label_selector =
          std::string(reconcile::kManagedByLabel) + "=" + std::string(reconcile::kManagedBy);
    }
    reflectors_.push_back(std::make_unique<kube::Reflector>(
        client, cache_, type, std::move(scope),
        [this, type](const kube::Change& change) { changed(type, change); },
        [this](const kube::ResourceType& failed, const kube::Error& error) {
          log_.warning("watch failed",
                       {{"resource", std::string(failed.plural)}, {"error", error.message}});
        }));
  }
}

void Manager::changed(const kube::ResourceType& type, const kube::Change& change) {
  const auto key = concerned(type, change);
  if (!key) return;
  if (type == kube::kPostgresClusters && changes_spec(change)) secrets_.forget(key->ns);
  queue_.add(*key);
}

void Manager::run(std::stop_token stop) {
  std::vector<std::jthread> threads;
  for (const auto& reflector : reflectors_) {
    threads.emplace_back([&reflector](std::stop_token end) { reflector->run(end); });
  }
  if (wait_for_sync(stop)) {
    log_.info("watching", {{"namespace", options_.ns.empty() ? "all" : options_.ns}});
    for (int i = 0; i < options_.workers; ++i) {
      threads.emplace_back([this](std::stop_token end) { work(end); });
    }
    while (kube::pause_for(kResync, stop)) resync();
  }
  for (std::jthread& thread : threads) thread.request_stop();
}

// Nothing is planned before everything has been seen once: what is missing from a half-filled cache
// would look absent.
bool Manager::wait_for_sync(std::stop_token stop) {
  const auto synced = [](const auto& reflector) { return reflector->synced(); };
  while (!std::ranges::all_of(reflectors_, synced)) {
    if (!kube::pause_for(milliseconds(20), stop)) return false;
  }
  return true;
}

void Manager::resync() {
  const auto clusters = cache_.list(kube::kPostgresClusters, {});
  for (const kube::Object& cluster : clusters->items) {
    queue_.add({std::string(cluster.ns()), std::string(cluster.name())});
  }
}

void Manager::work(std::stop_token stop) {
  while (const auto key = queue_.take(stop)) {
    reconcile(*key);
    queue_.done(*key);
  }
}

void Manager::reconcile(const ClusterKey& key) {
  const sys_seconds now = wall_clock();
  auto observed = observe::observe(cache_, secrets_, key.ns, key.name);
  if (!observed) {
    refuse(key, observed.error(), now);
    return;
  }
  const kube::Object resource = observed->resource;
  const reconcile::Plan plan = plan_for(key, *std::move(observed), now);
  execute(key, resource, plan, now);
}

reconcile::Plan Manager::plan_for(const ClusterKey& key, reconcile::Observed observed,
                                  sys_seconds now) {
  {
    const std::lock_guard lock(mutex_);
    observed.last_error = memory_[key].last_error;
  }
  drop_deleted(key, observed);
  return reconcile::plan(observed, options_.settings, now);
}

void Manager::refuse(const ClusterKey& key, const observe::Refusal& refusal, sys_seconds now) {
  if (refusal.broken) {
    const reconcile::Plan plan =
        reconcile::refuse(*refusal.broken, "Invalid", refusal.message, now);
    execute(key, refusal.broken->resource, plan, now);
    return;
  }
  if (refusal.error && refusal.error->is(kube::ErrorKind::kNotFound)) {
    const std::lock_guard lock(mutex_);
    memory_.erase(key);
    queue_.forget_failures(key);
    return;
  }
  log_.warning("cannot observe", {{"cluster", text(key)}, {"error", refusal.message}});
  queue_.add_failed(key);
}

void Manager::execute(const ClusterKey& key, const kube::Object& resource,
                      const reconcile::Plan& plan, sys_seconds now) {
  kube::Result<void> result = executor_.run(plan.actions, now);
  if (result) remember_deleted(key, plan);
  if (plan.status) {
    if (auto written = executor_.write_status(*plan.status); !written) {
      log_.warning("cannot write status",
                   {{"cluster", text(key)}, {"error", written.error().message}});
      if (result) result = written;
    }
  }
  if (result) publish(resource, plan);
  settle(key, result, plan);
}

// An error that no retry cures stands in the status until it is gone.
void Manager::settle(const ClusterKey& key, const kube::Result<void>& result,
                     const reconcile::Plan& plan) {
  std::optional<std::string> error;
  if (!result && !result.error().retryable()) error = result.error().message;
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    Memory& memory = memory_[key];
    news = result.has_value() ? memory.last_error.has_value() : error && memory.last_error != error;
    if (result || error) memory.last_error = error;
  }
  if (news) queue_.add(key);
  if (!result) {
    queue_.add_failed(key);
    return;
  }
  queue_.forget_failures(key);
  if (plan.look_again) queue_.add_after(key, *plan.look_again);
}

void Manager::publish(const kube::Object& resource, const reconcile::Plan& plan) {
  for (const reconcile::Event& event : plan.events) {
    const auto now =
        std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    const auto created = client_.create(kube::kEvents, std::string(resource.ns()),
                                        event_object(event, resource, options_.instance, now),
                                        {.field_manager = kFieldManager});
    if (!created) log_.warning("cannot write event", {{"error", created.error().message}});
  }
}

void Manager::remember_deleted(const ClusterKey& key, const reconcile::Plan& plan) {
  const std::lock_guard lock(mutex_);
  for (const reconcile::Action& action : plan.actions) {
    if (const auto* gone = std::get_if<reconcile::Delete>(&action)) {
      memory_[key].deleted.insert(gone->uid);
    }
  }
}

// The cache may still show what we have deleted: a second scale-in decided on it would take one
// member too many.
void Manager::drop_deleted(const ClusterKey& key, reconcile::Observed& observed) {
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
