#include "operator/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "pgc_version.h"

namespace pgc {

namespace {

// An empty one would mean all of them.
std::string namespace_problem(const std::string& name) {
  constexpr std::size_t kLongest = 63;
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  const bool fine = !name.empty() && name.size() <= kLongest &&
                    name.find_first_not_of(kAllowed) == std::string::npos && name.front() != '-' &&
                    name.back() != '-';
  return fine ? "" : "\"" + name + "\" is not the name of a namespace; want a list such as a,b";
}

std::string failure(const CLI::App* app, const CLI::Error& error) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !app->remaining().empty()) {
    const std::string word = app->remaining().front();
    what = word.starts_with("-")
               ? "unknown flag " + word
               : "unexpected argument \"" + word + "\"; several namespaces are --namespaces a,b";
  }
  std::ranges::replace(what, '\n', ' ');
  return "error: " + what + "; see pgc-operator --help\n";
}

}  // namespace

std::expected<OperatorOptions, Exit> parse_options(int argc, const char* const* argv,
                                                   std::ostream& out, std::ostream& err) {
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
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(namespace_problem, "", "");
  app.add_option("--namespace", options.own_namespace, "Where the operator itself lives")
      ->envname("POD_NAMESPACE")
      ->capture_default_str();
  app.add_option("--identity", options.identity, "This candidate's name in the Lease and in Events")
      ->envname("POD_NAME")
      ->capture_default_str();
  app.add_option("--health-port", options.health_port,
                 "Port of probes, metrics and /debug; 0: none")
      ->check(CLI::Range(0, 65535))
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
  app.failure_message(failure);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return std::unexpected(app.exit(error, out, err) == 0 ? 0 : 1);
  }
  return options;
}

}  // namespace pgc
