#include "webhook/options.h"

#include <CLI/CLI.hpp>
#include <map>

#include "pgc_version.h"
#include "shared/kube/kubeconfig.h"

namespace pgc::webhook {

namespace {

const std::map<std::string, LogLevel> kLogLevels = {{"debug", LogLevel::kDebug},
                                                    {"info", LogLevel::kInfo},
                                                    {"warning", LogLevel::kWarning},
                                                    {"error", LogLevel::kError}};

void describe(CLI::App& app, Options& options) {
  app.set_version_flag("--version", std::string(kVersion));
  app.add_option("--port", options.port, "port of the admission endpoints")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  app.add_option("--health-port", options.health_port,
                 "plain HTTP port of /healthz, /readyz and /metrics")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  app.add_option("--workers", options.workers, "connections served at once")
      ->capture_default_str()
      ->check(CLI::Range(8, 4096));
  app.add_option("--namespace", options.ns,
                 "namespace of the Service and the Secret [POD_NAMESPACE]");
  app.add_option("--service", options.service, "Service through which the API server calls")
      ->capture_default_str();
  auto* secret =
      app.add_option("--secret", options.secret, "Secret with tls.crt, tls.key and ca.crt")
          ->capture_default_str();
  app.add_option("--cert-dir", options.cert_dir, "folder with these files, instead of the Secret")
      ->excludes(secret);
  app.add_option("--client-ca", options.client_ca,
                 "file with CAs; only clients with a certificate of theirs are answered");
  app.add_option("--kubeconfig", options.kubeconfig,
                 "kubeconfig file, to run outside of a cluster");
  app.add_option("--crd", options.crds,
                 "file with a CustomResourceDefinition whose objects are judged too, by structure; "
                 "may be repeated")
      ->check(CLI::ExistingFile);
  app.add_option("--drain", options.drain, "seconds to go on serving after SIGTERM")
      ->capture_default_str();
  app.add_option("--log-level", options.log_level,
                 "debug, info, warning or error; debug has a line for each review, info for each "
                 "refusal")
      ->transform(CLI::CheckedTransformer(kLogLevels))
      ->default_str("info");
}

}  // namespace

std::optional<Options> read_options(int argc, char** argv, int& exit_code) {
  CLI::App app("Admission webhook of PostgresCluster: writes defaults, then allows or refuses.",
               "pgc-webhook");
  Options options;
  options.ns = kube::environment_variable("POD_NAMESPACE").value_or("pgc-system");
  options.pod = kube::environment_variable("POD_NAME").value_or("");
  options.address = kube::environment_variable("POD_IP").value_or("127.0.0.1");
  describe(app, options);
  try {
    app.parse(argc, argv);
    return options;
  } catch (const CLI::ParseError& ending) {
    exit_code = app.exit(ending);
    return std::nullopt;
  }
}

}  // namespace pgc::webhook
