#include "operator/options.h"

#include <CLI/CLI.hpp>
#include <map>

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
  app.add_option("--namespaces", options.namespaces,
                 "Look after these namespaces alone (a,b); default: all")
      ->delimiter(',');
  app.add_option("--namespace", options.own_namespace, "Where the operator itself lives")
      ->envname("POD_NAMESPACE")
      ->capture_default_str();
  app.add_option("--identity", options.identity, "This candidate's name in the Lease and in Events")
      ->envname("POD_NAME")
      ->capture_default_str();
  app.add_option("--health-port", options.health_port,
                 "Port of probes, metrics and /debug; 0: none")
      ->capture_default_str();
  app.add_option("--workers", options.workers, "Clusters that are worked on at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--resync", options.resync_seconds,
                 "How often every cluster is looked at without a reason: 45s, 30m, 10h")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, std::int64_t>{{"s", 1}, {"m", 60}, {"h", 3600}}))
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{366 * 24 * 3600}))
      ->default_str("10h");
  app.add_option("--log-level", options.log_level, "What to log at least")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, LogLevel>{{"debug", LogLevel::kDebug},
                                                                  {"info", LogLevel::kInfo},
                                                                  {"warning", LogLevel::kWarning},
                                                                  {"error", LogLevel::kError}}))
      ->default_str("info");
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
