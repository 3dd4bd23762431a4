// pgc-player: stands in for kubelets, the StatefulSet controller and Patroni on a control plane
// without nodes, so that an operator can be watched at work. Never against a cluster of worth.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "shared/kube/config.h"
#include "shared/kube/kubeconfig.h"
#include "shared/process/signals.h"
#include "tests/player/player.h"

namespace {

struct Options {
  std::string kubeconfig;
  double period = 10;
  pgc::player::PlayerOptions player;
};

void describe(CLI::App& app, Options& options) {
  app.description(
      "Plays kubelet, StatefulSet controller and Patroni for the pods of PostgresClusters.");
  app.footer("Ends at SIGTERM; the last line of its output counts what it did.");
  app.add_option("--kubeconfig", options.kubeconfig, "How to reach the API server");
  app.add_option("--namespace", options.player.ns, "This namespace alone; default: all");
  app.add_option("--period", options.period, "Seconds between a cluster's heartbeats; 0: none")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--threads", options.player.threads, "Writes at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
}

int run(const Options& options) {
  const sigset_t signals = pgc::block_ending_signals();
  const pgc::Log log;
  const auto config = pgc::kube::load_kubeconfig({.kubeconfig = options.kubeconfig},
                                                 pgc::kube::environment_variable);
  if (!config) return std::cerr << "error: " << config.error().message << "\n", 1;
  const auto client = pgc::kube::make_http_client(*config, {.user_agent = "pgc-player"});
  if (!client) return std::cerr << "error: " << client.error().message << "\n", 1;
  pgc::player::Player player(**client, options.player, log);
  {
    const std::jthread play([&](std::stop_token stop) { player.run(stop); });
    int signal = 0;
    sigwait(&signals, &signal);
  }
  const auto& tally = player.tally();
  std::cout << nlohmann::json{{"moves", tally.moves.load()},
                              {"heartbeats", tally.heartbeats.load()},
                              {"failures", tally.failures.load()},
                              {"latestHeartbeatMs", tally.latest_ms.load()}}
            << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app;
  describe(app, options);
  CLI11_PARSE(app, argc, argv);
  options.player.period = std::chrono::milliseconds(static_cast<int>(options.period * 1000));
  return run(options);
}
