// pgc-operator: reads its settings, becomes the leader, runs the loop until it is asked to end.
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "operator/certificates.h"
#include "operator/fence.h"
#include "operator/health.h"
#include "operator/leader.h"
#include "operator/manager.h"
#include "operator/options.h"
#include "pgc_version.h"
#include "shared/kube/kubeconfig.h"
#include "shared/kube/pause.h"
#include "shared/process/signals.h"

namespace {

using pgc::Log;

std::expected<pgc::reconcile::Settings, std::string> read_settings(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::unexpected("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  auto settings = pgc::reconcile::parse_settings(text.str());
  if (!settings) return std::unexpected(path + ": " + settings.error());
  return settings;
}

pgc::kube::Result<std::unique_ptr<pgc::kube::Client>> connect(const std::string& kubeconfig) {
  auto config =
      pgc::kube::load_kubeconfig({.kubeconfig = kubeconfig}, pgc::kube::environment_variable);
  if (!config) return std::unexpected(config.error());
  // Far more than is ever needed: a loop that runs wild shall not take the API server with it.
  return pgc::kube::make_http_client(*config,
                                     {.user_agent = "pgc-operator/" + std::string(pgc::kVersion),
                                      .requests_per_second = 1000,
                                      .burst = 2000});
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

int run(const pgc::OperatorOptions& options, const Log& log) {
  std::stop_source stop;
  const std::jthread signals = stop_at_signal(stop);
  const auto settings = read_settings(options.settings);
  if (!settings) return fail(log, settings.error());
  const auto client = connect(options.kubeconfig);
  if (!client) return fail(log, client.error().message);
  pgc::HealthServer health;
  if (options.health_port > 0) {
    if (auto started = health.start(options.health_port); !started) {
      return fail(log, started.error());
    }
  }
  pgc::Fence fence;
  pgc::FencedClient fenced(**client, fence);
  pgc::LeaderElection election(
      **client, fence, {.ns = options.own_namespace, .identity = unique(options.identity)}, log);
  const bool orderly = election.run(stop.get_token(), [&](std::stop_token ended) {
    std::jthread certificates;
    if (options.webhook_certificates) {
      certificates = std::jthread(
          [&](std::stop_token end) { keep_certificates(fenced, options.own_namespace, log, end); });
    }
    pgc::Manager manager(fenced,
                         {.settings = *settings,
                          .ns = options.watch_namespace,
                          .instance = options.identity,
                          .workers = options.workers},
                         log);
    manager.run(ended);
  });
  return orderly ? 0 : fail(log, "leadership was lost");
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = pgc::parse_options(argc, argv);
  if (!options) return options.error();
  const Log log;
  log.info("starting",
           {{"version", std::string(pgc::kVersion)}, {"commit", std::string(pgc::kCommit)}});
  return run(*options, log);
}
