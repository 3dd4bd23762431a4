// Where the API server is and how to prove who we are: a value, filled from a kubeconfig or from
// the pod's service account, consumed by make_http_client.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "shared/kube/error.h"
#include "shared/kube/exec_plugin.h"

namespace pgc::kube {

class Client;

// Certificates and keys are PEM texts, already read from their files. Never print this.
struct Config {
  std::string server = {};  // "https://10.0.0.1:6443", may have a path
  std::string ca_pem = {};  // empty: the system's roots
  std::string tls_server_name = {};
  std::string proxy_url = {};  // empty: none
  bool insecure_skip_tls_verify = false;

  std::string client_certificate_pem = {};  // may hold a chain
  std::string client_key_pem = {};
  std::string token = {};
  std::string token_file = {};  // wins over token; read again every minute
  std::string username = {};
  std::string password = {};
  std::optional<ExecPlugin> exec = {};  // asked where nothing above says who we are
  std::string impersonate_user = {};
  std::string impersonate_uid = {};
  std::vector<std::string> impersonate_groups = {};
  std::vector<std::pair<std::string, std::string>> impersonate_extra = {};  // a key may repeat

  std::string ns = "default";  // the namespace where none is named
};

// The configuration that a pod has by its service account
// (https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/).
Result<Config> in_cluster_config();

// One exchange with the API server, as metrics want it.
struct ApiCall {
  // "get", "list", "watch", "create", "update", "patch", "apply" or "delete".
  std::string_view verb = {};
  std::string resource = {};  // "statefulsets.apps", "postgresclusters.db.example.com/status"
  int code = 0;               // HTTP status; 0 where there was no answer
  std::chrono::duration<double> time{};
};

struct ClientOptions {
  std::string user_agent = {};  // "pgc-operator/v0.1.0 (linux/amd64)"
  // Of one call with all that belongs to it: connecting, TLS, a list's chunks and what is repeated.
  // Only the time that a host name takes is the system's. A watch has none once it is answered.
  std::chrono::milliseconds timeout{30'000};
  // At most so many requests a second, after `burst` at once; 0: as many as come. Watches and
  // Leases are not counted: who leads must not depend on how much there is to do.
  double requests_per_second = 0;
  int burst = 1;
  // Asked for when the program ends: then no call waits any more, neither for its turn, nor because
  // the server put it off, nor for a credential plugin, and reads are given up. Writes that were
  // sent are waited for; calls about Leases go on, so that one can be released.
  std::stop_token stop = {};
  // Both are called from the thread that made the request.
  // With each warning that comes with an answer.
  std::function<void(const std::string& text)> warn = {};
  // After each exchange, also those that are repeated; for a watch when its answer begins.
  std::function<void(const ApiCall& call)> observe_call = {};
};

// A client over HTTP/1.1 and TLS. It keeps idle connections open and opens further ones as threads
// need them. Fails with kConfiguration where the certificates can't be used. The process ignores
// SIGPIPE from then on.
//
// A request is repeated as retry.h says, which is little: whatever is left over is an Error.
Result<std::unique_ptr<Client>> make_http_client(const Config& config,
                                                 const ClientOptions& options);

}  // namespace pgc::kube
