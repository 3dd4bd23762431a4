// pgc-operator: reads its settings, becomes the leader, runs the loop until it is asked to end.
#include <mutex>
#include <random>
#include <thread>

#include "operator/call_metrics.h"
#include "operator/certificates.h"
#include "operator/fence.h"
#include "operator/leader.h"
#include "operator/manager.h"
#include "operator/options.h"
#include "operator/settings_file.h"
#include "pgc_version.h"
#include "shared/health/health_server.h"
#include "shared/kube/kubeconfig.h"
#include "shared/kube/pause.h"
#include "shared/metrics/process.h"
#include "shared/process/signals.h"

namespace {

using pgc::Log;

// The manager of the time in which this candidate leads; asked by the health port at any time.
class Current {
 public:
  void set(pgc::Manager* manager) {
    const std::lock_guard lock(mutex_);
    manager_ = manager;
  }
  // The manager stays for as long as the call takes.
  template <typename Ask>
  auto ask(Ask question) {
    const std::lock_guard lock(mutex_);
    return question(manager_);
  }

 private:
  std::mutex mutex_;
  pgc::Manager* manager_ = nullptr;  // guarded by mutex_; null: somebody else leads
};

pgc::HealthPages pages(Current& current, const pgc::metrics::Registry& registry) {
  using Verdict = std::expected<void, std::string>;
  using Text = std::expected<std::string, std::string>;
  return {.ready =
              [&current] {
                return current.ask([](const pgc::Manager* manager) -> Verdict {
                  if (manager == nullptr || manager->synced()) return {};
                  return std::unexpected("not everything has been seen yet");
                });
              },
          .metrics = [&registry] { return registry.text(); },
          .explain =
              [&current](const std::string& ns, const std::string& name) {
                return current.ask([&](pgc::Manager* manager) -> Text {
                  if (manager == nullptr) {
                    return std::unexpected("this one does not lead; ask the holder of the Lease");
                  }
                  auto text = manager->explain({ns, name});
                  if (!text) return std::unexpected("no such cluster");
                  return *std::move(text);
                });
              }};
}

// A wrong file is told, and the last right one stays in force.
void follow_settings(pgc::SettingsFile& file, pgc::Manager& manager, const Log& log,
                     std::stop_token stop) {
  constexpr std::chrono::seconds kPause{10};
  while (pgc::kube::pause_for(kPause, stop)) {
    auto settings = file.read_if_changed();
    if (!settings) continue;
    if (!*settings) {
      log.error("settings are not taken over", {{"error", settings->error()}});
      continue;
    }
    log.info("new settings");
    manager.use(**std::move(settings));
  }
}

pgc::kube::Result<std::unique_ptr<pgc::kube::Client>> connect(const std::string& kubeconfig,
                                                              pgc::CallMetrics& calls,
                                                              std::stop_token stop) {
  auto config =
      pgc::kube::load_kubeconfig({.kubeconfig = kubeconfig}, pgc::kube::environment_variable);
  if (!config) return std::unexpected(config.error());
  // Far more than is ever needed: a loop that runs wild shall not take the API server with it.
  return pgc::kube::make_http_client(
      *config, {.user_agent = "pgc-operator/" + std::string(pgc::kVersion),
                .requests_per_second = 1000,
                .burst = 2000,
                .stop = std::move(stop),
                .observe_call = [&calls](const auto& call) { calls.count(call); }});
}

std::string unique(const std::string& identity) {
  std::random_device random;
  return identity + "_" + std::to_string(random());
}

void keep_certificates(pgc::kube::Client& client, const std::string& ns, const Log& log,
                       std::stop_token stop) {
  pgc::WebhookCertificates certificates(client, {.ns = ns}, log);
  std::chrono::seconds pause{0};
  do {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto again = certificates.reconcile(now);
    if (again) {
      pause = *again;
      continue;
    }
    log.warning("webhook certificates", {{"error", again.error().message}});
    pause = std::clamp(pause * 2, std::chrono::seconds(1), std::chrono::seconds(60));
  } while (pgc::kube::pause_for(pause, stop));
}

std::jthread stop_at_signal(std::stop_source& stop) {
  const sigset_t signals = pgc::block_ending_signals();
  return std::jthread([signals, &stop](std::stop_token ended) {
    const timespec half_a_second{0, 500'000'000};
    while (!ended.stop_requested()) {
      if (sigtimedwait(&signals, nullptr, &half_a_second) > 0) stop.request_stop();
    }
  });
}

int fail(const Log& log, const std::string& message) {
  log.error(message);
  return 1;
}

struct Parts {
  const pgc::OperatorOptions& options;
  pgc::kube::Client& client;
  pgc::SettingsFile& settings_file;
  pgc::reconcile::Settings settings;
  pgc::metrics::Registry& registry;
  Current& current;
  const Log& log;
};

void lead(const Parts& parts, std::stop_token ended) {
  const pgc::OperatorOptions& options = parts.options;
  std::jthread certificates;
  if (options.webhook_certificates) {
    certificates = std::jthread([&](std::stop_token end) {
      keep_certificates(parts.client, options.own_namespace, parts.log, end);
    });
  }
  pgc::Manager manager(parts.client,
                       {.settings = parts.settings,
                        .namespaces = options.namespaces,
                        .instance = options.identity,
                        .workers = options.workers,
                        .resync = std::chrono::seconds(options.resync_seconds),
                        .seed = std::random_device()()},
                       parts.log, parts.registry);
  parts.current.set(&manager);
  {
    const std::jthread settings([&](std::stop_token end) {
      follow_settings(parts.settings_file, manager, parts.log, end);
    });
    manager.run(ended);
  }
  parts.current.set(nullptr);
}

int run(const pgc::OperatorOptions& options, const Log& log) {
  std::stop_source stop;
  const std::jthread signals = stop_at_signal(stop);
  pgc::SettingsFile settings_file(options.settings);
  const auto settings = settings_file.read();
  if (!settings) return fail(log, settings.error());
  pgc::metrics::Registry registry;
  pgc::metrics::add_process_metrics(registry);
  pgc::CallMetrics calls(registry);
  const auto client = connect(options.kubeconfig, calls, stop.get_token());
  if (!client) return fail(log, client.error().message);
  pgc::Fence fence;
  pgc::FencedClient fenced(**client, fence);
  pgc::LeaderElection election(
      **client, fence, {.ns = options.own_namespace, .identity = unique(options.identity)}, log);
  auto& leading =
      registry.gauge("leader_election_master_status", "1 while this candidate leads, else 0.",
                     {{"name", "pgc-operator"}});
  Current current;
  registry.before_text([&] {
    leading.set(election.leading() ? 1 : 0);
    current.ask([](pgc::Manager* manager) {
      if (manager != nullptr) manager->measure();
    });
  });
  pgc::HealthServer health(pages(current, registry));
  if (options.health_port > 0) {
    if (auto started = health.start(options.health_port); !started) {
      return fail(log, started.error());
    }
  }
  const Parts parts{.options = options,
                    .client = fenced,
                    .settings_file = settings_file,
                    .settings = *settings,
                    .registry = registry,
                    .current = current,
                    .log = log};
  const bool orderly =
      election.run(stop.get_token(), [&](std::stop_token ended) { lead(parts, ended); });
  return orderly ? 0 : fail(log, "leadership was lost");
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = pgc::parse_options(argc, argv);
  if (!options) return options.error();
  const Log log(options->log_level);
  log.info("starting",
           {{"version", std::string(pgc::kVersion)}, {"commit", std::string(pgc::kCommit)}});
  return run(*options, log);
}
