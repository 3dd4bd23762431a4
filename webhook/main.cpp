// pgc-webhook: puts the parts together, waits for SIGTERM, and ends in order.
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "pgc_version.h"
#include "shared/kube/client.h"
#include "shared/kube/config.h"
#include "shared/kube/kubeconfig.h"
#include "shared/process/signals.h"
#include "shared/schema/rules/rules.h"
#include "webhook/certificate_source.h"
#include "webhook/health.h"
#include "webhook/options.h"
#include "webhook/server.h"

namespace {

using namespace pgc;
using webhook::Options;

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

// Where the certificate comes from. `client` keeps the connection that the Secret is read through.
std::expected<webhook::CertificateSource, std::string> source_for(
    const Options& options, std::unique_ptr<kube::Client>& client) {
  if (!options.cert_dir.empty()) return webhook::from_directory(options.cert_dir);
  auto connected = connect(options);
  if (!connected) return std::unexpected(connected.error().message);
  client = std::move(*connected);
  return webhook::from_secret(*client, options.ns, options.secret);
}

std::expected<webhook::ServerOptions, std::string> server_options(const Options& options) {
  webhook::ServerOptions wanted{
      .port = options.port, .client_ca_pem = {}, .workers = options.workers, .limits = {}};
  if (options.client_ca.empty()) return wanted;
  const auto pem = text_of_file(options.client_ca);
  if (!pem || pem->empty()) return std::unexpected("cannot read --client-ca " + options.client_ca);
  wanted.client_ca_pem = *pem;
  return wanted;
}

// First not ready, so that no new requests come; then serve on while the news spreads; then end.
void leave(webhook::Health& health, webhook::Server& server, const Options& options,
           const Log& log) {
  log.info("ending", {{"drainSeconds", options.drain.count()}});
  health.leave();
  std::this_thread::sleep_for(options.drain);
  server.stop();
}

int fail(const Log& log, const std::string& reason) {
  log.error("cannot start", {{"reason", reason}});
  return 1;
}

int serve(const Options& options, const Log& log) {
  const sigset_t signals = block_ending_signals();
  std::unique_ptr<kube::Client> client;
  const auto source = source_for(options, client);
  if (!source) return fail(log, source.error());
  const auto wanted = server_options(options);
  if (!wanted) return fail(log, wanted.error());

  schema::postgrescluster_schema();  // compiled at its first use, which is not to be a request

  webhook::ServingCertificate certificate(options.server_name());
  webhook::Server server(*wanted, certificate, log);
  const auto port = server.start();
  if (!port) return fail(log, port.error());
  webhook::Health health(certificate, options.address, *port);
  const auto health_port = health.start(options.health_port);
  if (!health_port) return fail(log, health_port.error());
  const std::jthread follower(
      [&](std::stop_token stop) { follow(*source, certificate, log, stop); });

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
  return options ? serve(*options, Log()) : exit_code;
}
