// The command line of pgc-operator.
#pragma once

#include <expected>
#include <string>

namespace pgc {

struct OperatorOptions {
  std::string settings = "/etc/pgc/settings.yaml";
  std::string kubeconfig;  // empty: as kubectl finds it, in a pod its service account
  std::string watch_namespace;
  std::string own_namespace = "pgc-system";
  std::string identity = "pgc-operator";
  int health_port = 8081;
  int workers = 2;
  bool webhook_certificates = true;
};

// Nothing more to do: an exit code, after --help, --version or an error that has been printed.
using Exit = int;

std::expected<OperatorOptions, Exit> parse_options(int argc, char** argv);

}  // namespace pgc
