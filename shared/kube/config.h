// Where the API server is and how to prove who we are: a value, filled from a kubeconfig or from
// the pod's service account, consumed by make_http_client.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared/kube/error.h"
#include "shared/kube/exec_plugin.h"

namespace pgc::kube {

class Client;

// Certificates and keys are PEM texts, already read from their files. Never print this.
struct Config {
  std::string server;  // "https://10.0.0.1:6443", may have a path
  std::string ca_pem;  // empty: the system's roots
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;

  std::string client_certificate_pem;  // may hold a chain
  std::string client_key_pem;
  std::string token;
  std::string token_file;  // wins over token; read again every minute
  std::string username;
  std::string password;
  std::optional<ExecPlugin> exec;  // asked where nothing above says who we are
  std::string impersonate_user;
  std::string impersonate_uid;
  std::vector<std::string> impersonate_groups;
  std::vector<std::pair<std::string, std::string>> impersonate_extra;  // a key may repeat

  std::string ns = "default";  // the namespace where none is named
};

// The configuration that a pod has by its service account
// (https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/).
Result<Config> in_cluster_config();

struct ClientOptions {
  std::string user_agent;                     // "pgc-operator/v0.1.0 (linux/amd64)"
  std::chrono::milliseconds timeout{30'000};  // of one request; watches have none
  // Called with each warning that comes with an answer, from the thread that made the request.
  std::function<void(const std::string& text)> warn = {};
};

// A client over HTTP/1.1 and TLS. It keeps idle connections open and opens further ones as threads
// need them. Fails with kConfiguration where the certificates can't be used. The process ignores
// SIGPIPE from then on.
Result<std::unique_ptr<Client>> make_http_client(const Config& config,
                                                 const ClientOptions& options);

}  // namespace pgc::kube
