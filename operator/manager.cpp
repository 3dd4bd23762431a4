#include "operator/manager.h"

#include <algorithm>
#include <thread>

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

}  // namespace

Manager::Manager(kube::Client& client, ManagerOptions options, const Log& log)
    : options_(std::move(options)),
      log_(log),
      secrets_(client),
      reconciler_(cache_, secrets_, client,
                  {.settings = options_.settings, .instance = options_.instance}, log) {
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
    settle(*key, reconciler_.turn(*key, wall_clock()));
    queue_.done(*key);
  }
}

void Manager::settle(const ClusterKey& key, const Outcome& outcome) {
  if (outcome.at_once) queue_.add(key);
  if (outcome.kind == Outcome::Kind::kFailed) {
    if (outcome.progress) queue_.forget_failures(key);
    queue_.add_failed(key);
    return;
  }
  queue_.forget_failures(key);
  if (outcome.look_again) queue_.add_after(key, *outcome.look_again);
}

}  // namespace pgc
