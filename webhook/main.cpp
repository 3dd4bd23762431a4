// pgc-webhook: puts the parts together, waits for SIGTERM, and ends in order.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "pgc_version.h"
#include "shared/kube/client.h"
#include "shared/kube/config.h"
#include "shared/kube/kubeconfig.h"
#include "shared/metrics/process.h"
#include "shared/process/signals.h"
#include "shared/schema/rules/rules.h"
#include "webhook/certificate_event.h"
#include "webhook/certificate_source.h"
#include "webhook/health.h"
#include "webhook/options.h"
#include "webhook/server.h"

namespace {

using namespace pgc;
using webhook::Options;

constexpr std::chrono::seconds kLookAgain{3};

void wait_for_end(const sigset_t& signals) {
  int received = 0;
  while (sigwait(&signals, &received) != 0) {
  }
}

std::optional<std::string> text_of_file(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

kube::Result<std::unique_ptr<kube::Client>> connect(const Options& options) {
  const auto no_environment = [](const std::string&) { return std::optional<std::string>(); };
  kube::KubeconfigOptions from;
  from.kubeconfig = options.kubeconfig;
  const auto config = options.kubeconfig.empty() ? kube::in_cluster_config()
                                                 : kube::load_kubeconfig(from, no_environment);
  if (!config) return std::unexpected(config.error());
  return kube::make_http_client(*config, {.user_agent = "pgc-webhook/" + std::string(kVersion)});
}

// The Event is about the Secret, or about this pod where a folder is mounted into it. Outside of a
// cluster there is nobody to tell.
webhook::CertificateKeeper::Report reporter(kube::Client* client, const Options& options,
                                            const Log& log) {
  const bool folder = !options.cert_dir.empty();
  if (client == nullptr || (folder && options.pod.empty())) return nullptr;
  const webhook::EventSubject about{.kind = folder ? "Pod" : "Secret",
                                    .ns = options.ns,
                                    .name = folder ? options.pod : options.secret,
                                    .reporter = options.pod.empty() ? "pgc-webhook" : options.pod};
  return [client, about, &log](const std::string& reason) {
    const auto now =
        std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    const auto written =
        client->create(kube::kEvents, about.ns, webhook::certificate_event(about, reason, now), {});
    if (!written) log.warning("event not written", {{"reason", written.error().message}});
  };
}

std::expected<std::vector<webhook::Judge>, std::string> judges(const Options& options) {
  std::vector<webhook::Judge> all = {webhook::judge_of_postgres_clusters()};
  for (const std::string& file : options.crds) {
    const auto text = text_of_file(file);
    if (!text) return std::unexpected("cannot read --crd " + file);
    auto judges = webhook::judges_of_crd(*text);
    if (!judges) return std::unexpected("--crd " + file + ": " + judges.error());
    std::ranges::move(*judges, std::back_inserter(all));
  }
  return all;
}

std::expected<webhook::ServerOptions, std::string> server_options(const Options& options) {
  webhook::ServerOptions wanted{.port = options.port, .workers = options.workers};
  auto judged = judges(options);
  if (!judged) return std::unexpected(judged.error());
  wanted.judges = std::move(*judged);
  if (options.client_ca.empty()) return wanted;
  const auto pem = text_of_file(options.client_ca);
  if (!pem || pem->empty()) return std::unexpected("cannot read --client-ca " + options.client_ca);
  wanted.client_ca_pem = *pem;
  return wanted;
}

// First not ready, so that no new requests come, and with each answer the client is sent elsewhere;
// then serve on while the news spreads; then end.
void leave(webhook::Health& health, webhook::Server& server, const Options& options,
           const Log& log) {
  log.info("ending", {{"drainSeconds", options.drain.count()}});
  health.leave();
  server.leave();
  std::this_thread::sleep_for(options.drain);
  server.stop();
}

int fail(const Log& log, const std::string& reason) {
  log.error("cannot start", {{"reason", reason}});
  return 1;
}

int serve(const Options& options, const Log& log) {
  const sigset_t signals = block_ending_signals();
  const bool from_folder = !options.cert_dir.empty();
  auto connected = connect(options);
  if (!connected && !from_folder) return fail(log, connected.error().message);
  kube::Client* client = connected ? connected->get() : nullptr;
  const auto wanted = server_options(options);
  if (!wanted) return fail(log, wanted.error());

  schema::postgrescluster_schema();  // compiled at its first use, which is not to be a request

  metrics::Registry registry;
  metrics::add_process_metrics(registry);
  webhook::ServingCertificate certificate(options.server_name());
  webhook::Server server(*wanted, certificate, log, registry);
  const auto port = server.start();
  if (!port) return fail(log, port.error());
  webhook::Health health(certificate, registry, options.address, *port);
  const auto health_port = health.start(options.health_port);
  if (!health_port) return fail(log, health_port.error());
  webhook::CertificateKeeper keeper(
      from_folder ? webhook::from_directory(options.cert_dir)
                  : webhook::from_secret(*client, options.ns, options.secret),
      certificate, log, webhook::certificate_metrics(registry), reporter(client, options, log));
  const std::jthread looking([&](std::stop_token stop) { keeper.run(kLookAgain, stop); });

  log.info("serving", {{"version", std::string(kVersion)},
                       {"port", *port},
                       {"healthPort", *health_port},
                       {"serverName", options.server_name()}});
  wait_for_end(signals);
  leave(health, server, options, log);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = 0;
  const auto options = webhook::read_options(argc, argv, exit_code);
  return options ? serve(*options, Log(options->log_level)) : exit_code;
}
