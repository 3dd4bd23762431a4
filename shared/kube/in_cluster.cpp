#include <fstream>
#include <sstream>

#include "shared/kube/config.h"
#include "shared/kube/kubeconfig.h"

namespace pgc::kube {
namespace {

constexpr const char* kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

Error not_in_a_pod(const std::string& what) {
  return {.kind = ErrorKind::kConfiguration,
          .message = "not running in a pod with a service account: " + what};
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(not_in_a_pod("cannot read " + path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// An IPv6 address stands in brackets before a port.
std::string host_and_port(const std::string& host, const std::string& port) {
  return host.find(':') == std::string::npos ? host + ":" + port : "[" + host + "]:" + port;
}

// As client-go finds it.
std::string own_namespace(const std::string& folder) {
  if (auto told = environment_variable("POD_NAMESPACE").value_or(""); !told.empty()) return told;
  const auto ns = read_file(folder + "namespace");
  return ns && !ns->empty() ? *ns : "default";
}

}  // namespace

Result<Config> in_cluster_config() {
  const std::string host = environment_variable("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = environment_variable("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty() || port.empty()) {
    return std::unexpected(
        not_in_a_pod("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set"));
  }
  const std::string folder = kServiceAccount;
  auto ca = read_file(folder + "ca.crt");
  if (!ca) return std::unexpected(ca.error());
  Config config;
  config.server = "https://" + host_and_port(host, port);
  config.ca_pem = *ca;
  config.token_file = folder + "token";
  config.ns = own_namespace(folder);
  return config;
}

}  // namespace pgc::kube
