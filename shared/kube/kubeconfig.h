// Reads kubeconfig files as kubectl does: which files, how they merge, which flags win
// (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/kube/config.h"

namespace pgc::kube {

// What the command line says. Empty: not given.
struct KubeconfigOptions {
  std::string kubeconfig = {};  // --kubeconfig: this file alone, and it must exist
  std::string context = {};     // --context
  std::string ns = {};          // --namespace

  // These win over what the context leads to.
  std::string cluster = {};                // --cluster: the name of an entry
  std::string user = {};                   // --user: the name of an entry
  std::string server = {};                 // --server
  std::string tls_server_name = {};        // --tls-server-name
  std::string certificate_authority = {};  // --certificate-authority: a file
  bool insecure_skip_tls_verify = false;
  std::string client_certificate = {};               // --client-certificate: a file
  std::string client_key = {};                       // --client-key: a file
  std::string token = {};                            // --token
  std::string username = {};                         // --username
  std::string password = {};                         // --password
  std::string impersonate_user = {};                 // --as
  std::string impersonate_uid = {};                  // --as-uid
  std::vector<std::string> impersonate_groups = {};  // --as-group
  std::vector<std::string> impersonate_extra = {};   // --as-user-extra: KEY=VALUE
};

// Error::reason of files that can be read but contradict themselves; then Error::causes has every
// contradiction.
inline constexpr std::string_view kInvalidKubeconfig = "InvalidKubeconfig";

// The parts of the process that the search depends on, as an argument for tests.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
// The process's own.
std::optional<std::string> environment_variable(const std::string& name);

// Precedence: --kubeconfig, $KUBECONFIG (a list of files), ~/.kube/config, the pod's own service
// account. Every failure is kConfiguration, in kubectl's words where kubectl has some.
Result<Config> load_kubeconfig(const KubeconfigOptions& options, const Environment& environment);

}  // namespace pgc::kube
