// The command line of pgc-webhook and what the pod's environment adds to it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "shared/log/log.h"

namespace pgc::webhook {

struct Options {
  int port = 9443;
  int health_port = 8081;
  std::size_t workers = 128;
  std::string service = "pgc-webhook";
  std::string ns;       // --namespace, else POD_NAMESPACE
  std::string address;  // POD_IP, else the loopback: where readiness dials
  std::string secret = "pgc-webhook-tls";
  std::string cert_dir;           // if given, instead of the Secret
  std::string client_ca;          // a file
  std::string kubeconfig;         // a file, for running outside of a cluster
  std::vector<std::string> crds;  // files; kinds to judge beside PostgresCluster
  std::chrono::seconds drain{5};
  LogLevel log_level = LogLevel::kInfo;
  std::string pod;  // POD_NAME; empty outside of a cluster

  std::string server_name() const { return service + "." + ns + ".svc"; }
};

// Nothing where the program is to end at once (--help, --version, a mistake), with `exit_code` set;
// what there was to say is then said.
std::optional<Options> read_options(int argc, char** argv, int& exit_code);

}  // namespace pgc::webhook
