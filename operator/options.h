// The command line of pgc-operator.
#pragma once

#include <cstdint>
#include <expected>
#include <iostream>
#include <string>
#include <vector>

#include "shared/log/log.h"

namespace pgc {

struct OperatorOptions {
  std::string settings = "/etc/pgc/settings.yaml";
  std::string kubeconfig;               // empty: as kubectl finds it, in a pod its service account
  std::vector<std::string> namespaces;  // to look after; none: all
  std::string own_namespace = "pgc-system";
  std::string identity = "pgc-operator";
  int health_port = 8081;
  int workers = 2;
  std::int64_t resync_seconds = 10 * 3600;
  LogLevel log_level = LogLevel::kInfo;
  bool webhook_certificates = true;
};

// Nothing more to do: an exit code, after --help, --version or an error that has been printed.
using Exit = int;

// Help goes to `out`, an error to `err` as one line that says what would be right.
std::expected<OperatorOptions, Exit> parse_options(int argc, const char* const* argv,
                                                   std::ostream& out = std::cout,
                                                   std::ostream& err = std::cerr);

}  // namespace pgc
