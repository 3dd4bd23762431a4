#include "operator/manager.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "operator/explain.h"
#include "operator/triggers.h"
#include "shared/kube/pause.h"
#include "shared/reconcile/names.h"

namespace pgc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

// A turn that has written is followed by another; see manager.h.
constexpr kube::BackoffLimits kAgain{.first = milliseconds(10), .longest = milliseconds(30'000)};

sys_seconds wall_clock() {
  return std::chrono::floor<seconds>(std::chrono::system_clock::now());
}

std::string text(const ClusterKey& key) {
  return key.ns + "/" + key.name;
}

kube::BackoffLimits limits_for(const std::optional<kube::Error>& error) {
  constexpr milliseconds kFirst{200};
  if (error && error->is(kube::ErrorKind::kConflict)) return {kFirst, milliseconds(2'000)};
  const bool unanswered =
      error && (error->is(kube::ErrorKind::kUnreachable) || error->is(kube::ErrorKind::kTimeout));
  return {kFirst, milliseconds(unanswered ? 5'000 : 60'000)};
}

Retry retry_for(const std::optional<kube::Error>& error) {
  const auto asked = error ? error->retry_after : std::nullopt;
  return {.backoff = limits_for(error), .at_least = asked.value_or(seconds(0))};
}

// Who lifts a quota waits for us, and nothing tells us of it.
constexpr Retry kUnseen{.backoff = {.first = milliseconds(200), .longest = milliseconds(30'000)}};

bool tried_again(const Outcome& outcome) {
  return outcome.kind == Outcome::Kind::kStuck && outcome.error && cured_unseen(*outcome.error);
}

std::string reason(const kube::ResourceType& type, const kube::Change& change) {
  const char* what = change.kind == kube::Change::Kind::kAdded      ? " came"
                     : change.kind == kube::Change::Kind::kModified ? " changed"
                                                                    : " went";
  return std::string(type.plural) + " " + change.name + what;
}

std::string turn_id(double random, std::uint64_t number) {
  char id[32];
  std::snprintf(id, sizeof id, "%04x-%llu", static_cast<unsigned>(random * 0x10000),
                static_cast<unsigned long long>(number));
  return id;
}

std::vector<kube::ResourceType> watched_types() {
  std::vector<kube::ResourceType> types = observe::child_types();
  types.push_back(kube::kPostgresClusters);
  return types;
}

LoopMetrics::Result result_of(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kFailed:
      return LoopMetrics::Result::kError;
    case Outcome::Kind::kStuck:
      return tried_again(outcome) ? LoopMetrics::Result::kError
                                  : LoopMetrics::Result::kTerminalError;
    default:
      return outcome.at_once || outcome.look_again ? LoopMetrics::Result::kRequeueAfter
                                                   : LoopMetrics::Result::kSuccess;
  }
}

// What is known of Secrets without asking.
class Known final : public kube::Reader {
 public:
  explicit Known(std::set<std::string> names) : names_(std::move(names)) {}
  kube::Result<kube::Object> get(const kube::ObjectRef& ref) override {
    if (names_.contains(ref.name)) return kube::Object();
    return std::unexpected(kube::Error{.kind = kube::ErrorKind::kNotFound});
  }
  kube::Result<kube::ObjectList> list(const kube::ResourceType&,
                                      const kube::ListOptions&) override {
    return std::unexpected(kube::Error{.kind = kube::ErrorKind::kForbidden});
  }

 private:
  const std::set<std::string> names_;
};

}  // namespace

double Manager::Dice::roll() {
  const std::lock_guard lock(mutex_);
  return std::uniform_real_distribution<double>(0, 1)(engine_);
}

Manager::Manager(kube::Client& client, ManagerOptions options, const Log& log,
                 metrics::Registry& registry)
    : options_(std::move(options)),
      log_(log),
      dice_(options_.seed),
      metrics_(registry, watched_types()),
      cache_({.group_label = std::string(reconcile::kClusterLabel), .digest = significance}),
      secrets_(client, [this] { return dice_.roll(); }),
      witness_(client, cache_, secrets_),
      queue_([this] { return dice_.roll(); }),
      reconciler_(cache_, secrets_, witness_,
                  {.settings = options_.settings, .instance = options_.instance}, log) {
  std::vector<std::string> namespaces = options_.namespaces;
  if (namespaces.empty()) namespaces.emplace_back();
  for (const std::string& ns : namespaces) {
    for (const kube::ResourceType& type : watched_types()) add_reflector(client, type, ns);
  }
  metrics_.set_workers(options_.workers);
}

void Manager::add_reflector(kube::Client& client, const kube::ResourceType& type,
                            const std::string& ns) {
  kube::ListOptions scope{.ns = ns, .keep = &observe::shape_of(type)};
  if (type != kube::kPostgresClusters) {
    scope.label_selector =
        std::string(reconcile::kManagedByLabel) + "=" + std::string(reconcile::kManagedBy);
  }
  kube::ReflectorHooks hooks{
      .changed = [this, type](const kube::Change& change) { changed(type, change); },
      .failed =
          [this](const kube::ResourceType& failed, const kube::Error& error) {
            metrics_.watch_failed(failed);
            log_.warning("watch failed",
                         {{"resource", std::string(failed.plural)}, {"error", error.message}});
          },
      .began = [this](const auto& began,
                      auto beginning) { metrics_.watch_began(began, beginning); },
      .random = [this] { return dice_.roll(); }};
  reflectors_.push_back(
      std::make_unique<kube::Reflector>(client, cache_, type, std::move(scope), std::move(hooks)));
}

void Manager::changed(const kube::ResourceType& type, const kube::Change& change) {
  for (const ClusterKey& key : concerned(type, change)) {
    if (type == kube::kPostgresClusters && change.spec) secrets_.forget(key);
    diary_.woken(key, reason(type, change));
    metrics_.woken();
    queue_.add(key);
  }
}

void Manager::run(std::stop_token stop) {
  std::vector<std::jthread> threads;
  for (const auto& reflector : reflectors_) {
    threads.emplace_back([&reflector](std::stop_token end) { reflector->run(end); });
  }
  if (wait_for_sync(stop)) {
    log_.info("watching", {{"namespaces", options_.namespaces.empty() ? "all" : "some"},
                           {"workers", std::int64_t{options_.workers}}});
    for (int i = 0; i < options_.workers; ++i) {
      threads.emplace_back([this](std::stop_token end) { work(end); });
    }
    synced_ = true;
    while (kube::pause_for(options_.resync, stop)) wake_all("resync", options_.resync / 10);
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

void Manager::use(reconcile::Settings settings) {
  reconciler_.use(std::move(settings));
  wake_all("new settings", seconds(0));
}

void Manager::wake_all(const std::string& why, seconds within) {
  const auto clusters = cache_.list(kube::kPostgresClusters, {});
  for (const kube::Object& cluster : clusters->items) {
    const ClusterKey key{std::string(cluster.ns()), std::string(cluster.name())};
    diary_.woken(key, why);
    const double part = dice_.roll() * static_cast<double>(milliseconds(within).count());
    queue_.add_after(key, milliseconds(static_cast<long long>(part)));
  }
}

void Manager::work(std::stop_token stop) {
  while (const auto due = queue_.take(stop)) {
    metrics_.taken(due->waited);
    turn(*due);
    queue_.done(due->key);
  }
}

void Manager::turn(const Schedule::Turn& due) {
  const ClusterKey& key = due.key;
  const auto begun = WorkQueue::Clock::now();
  Report report{.at = wall_clock(),
                .id = turn_id(dice_.roll(), ++turns_),
                .why = diary_.reasons(key),
                .result = "success",
                .did = {},
                .took = {}};
  if (report.why.empty()) report.why = "its time had come";
  const LogScope scope({{"cluster", text(key)}, {"reconcile", report.id}});
  log_.debug("turn begins", {{"why", report.why}});
  if (const auto until = secrets_.good_until(key); until && *until <= begun) secrets_.forget(key);
  const Outcome outcome = reconciler_.turn(key, report.at);
  settle(key, outcome);
  const auto took = WorkQueue::Clock::now() - begun;
  metrics_.ended(result_of(outcome), took);
  if (outcome.kind == Outcome::Kind::kGone) return diary_.forget(key);
  constexpr std::size_t kMostLines = 12;
  report.did = first_lines(outcome.did, kMostLines);
  if (outcome.error) report.result = outcome.error->message;
  report.took = std::chrono::duration_cast<milliseconds>(took);
  diary_.add(key, std::move(report));
}

void Manager::settle(const ClusterKey& key, const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kDone:
      return rest(key, outcome);
    case Outcome::Kind::kStuck:
      if (tried_again(outcome)) {
        return outcome.at_once ? repeat(key) : come_again(key, outcome, kUnseen);
      }
      log_.warning("not tried again before something changes",
                   {{"error", outcome.error ? outcome.error->message : ""}});
      return rest(key, outcome);
    case Outcome::Kind::kFailed:
      return come_again(key, outcome, retry_for(outcome.error));
    case Outcome::Kind::kGone:
      secrets_.forget(key);
      queue_.forget_failures(key);
      queue_.forget_repeats(key);
  }
}

void Manager::come_again(const ClusterKey& key, const Outcome& outcome, const Retry& retry) {
  if (outcome.progress) queue_.forget_failures(key);
  const auto wait = queue_.add_failed(key, retry);
  diary_.woken(key, "the last turn failed");
  metrics_.retried();
  log_.info("comes again", {{"milliseconds", std::int64_t{wait.count()}}});
}

void Manager::repeat(const ClusterKey& key) {
  diary_.woken(key, "to see what the last turn wrote");
  queue_.add_repeat(key, kAgain);
}

void Manager::rest(const ClusterKey& key, const Outcome& outcome) {
  queue_.forget_failures(key);
  if (outcome.at_once) {
    repeat(key);
  } else {
    queue_.forget_repeats(key);
  }
  if (outcome.look_again) queue_.add_after(key, *outcome.look_again);
  if (const auto until = secrets_.good_until(key)) {
    const auto left = std::chrono::ceil<milliseconds>(*until - WorkQueue::Clock::now());
    queue_.add_after(key, std::max(left, milliseconds(0)));
  }
}

std::optional<std::string> Manager::explain(const ClusterKey& key) {
  Known secrets(secrets_.known(key));
  auto observed = observe::observe(cache_, secrets, key.ns, key.name);
  if (!observed && !observed.error().broken) return std::nullopt;
  Belief belief{.key = key,
                .observed = observed ? *observed : *observed.error().broken,
                .next = {},
                .broken = observed ? "" : observed.error().message,
                .queue = queue_.state(key),
                .diary = diary_.read(key)};
  if (observed) belief.next = reconcile::plan(*observed, reconciler_.settings(), wall_clock());
  return explained(belief, WorkQueue::Clock::now());
}

void Manager::measure() {
  metrics_.set_depth(queue_.depth());
  metrics_.set_sizes(cache_.size());
}

}  // namespace pgc
