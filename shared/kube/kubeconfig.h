// Reads kubeconfig files as kubectl does: which files, how they merge, which flags win
// (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "shared/kube/config.h"

namespace pgc::kube {

// What the command line says. Empty: not given.
struct KubeconfigOptions {
  std::string kubeconfig;  // --kubeconfig: this file alone, and it must exist
  std::string context;     // --context
  std::string ns;          // --namespace
};

// The parts of the process that the search depends on, as an argument for tests.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// Precedence: --kubeconfig, $KUBECONFIG (a list of files), ~/.kube/config, the pod's own service
// account. Every failure is kConfiguration, in kubectl's words where kubectl has some.
Result<Config> load_kubeconfig(const KubeconfigOptions& options, const Environment& environment);

}  // namespace pgc::kube
