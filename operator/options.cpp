#include "operator/options.h"

#include <CLI/CLI.hpp>

#include "pgc_version.h"

namespace pgc {

std::expected<OperatorOptions, Exit> parse_options(int argc, char** argv) {
  OperatorOptions options;
  CLI::App app{"Watches PostgresCluster resources and keeps what they ask for."};
  app.footer(
      "Example, outside a cluster:\n  pgc-operator --settings settings.yaml --kubeconfig "
      "~/.kube/config --health-port 0");
  app.add_option("--settings", options.settings, "File with images and defaults")
      ->capture_default_str();
  app.add_option("--kubeconfig", options.kubeconfig,
                 "How to reach the API server; default: the pod's service account");
  app.add_option("--watch-namespace", options.watch_namespace,
                 "Look after this namespace alone; default: all");
  app.add_option("--namespace", options.own_namespace, "Where the operator itself lives")
      ->envname("POD_NAMESPACE")
      ->capture_default_str();
  app.add_option("--identity", options.identity, "This candidate's name in the Lease and in Events")
      ->envname("POD_NAME")
      ->capture_default_str();
  app.add_option("--health-port", options.health_port, "Port of /healthz and /readyz; 0: none")
      ->capture_default_str();
  app.add_option("--workers", options.workers, "Clusters that are worked on at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_flag("!--no-webhook-certificates", options.webhook_certificates,
               "Leave the webhook's certificates to somebody else, such as cert-manager");
  app.set_version_flag("--version", std::string(kVersion) + " (" + std::string(kCommit) + ")");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return std::unexpected(app.exit(error));
  }
  return options;
}

}  // namespace pgc
