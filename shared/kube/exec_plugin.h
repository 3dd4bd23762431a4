// Credential plugins of a kubeconfig (`users[].user.exec`): a program that prints who we are.
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
//
// Pure: what is said to the program, and what is made of its answer. exec_process.h runs it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/kube/error.h"

namespace pgc::kube {

struct Config;

enum class InteractiveMode { kNever, kIfAvailable, kAlways };

struct ExecPlugin {
  std::string api_version = {};  // client.authentication.k8s.io/v1 or v1beta1
  std::string command = {};
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // besides our own
  std::string install_hint = {};
  bool provide_cluster_info = false;
  // The cluster's extension client.authentication.k8s.io/exec, as JSON; empty: it has none.
  std::string cluster_config = {};
  InteractiveMode interactive_mode = InteractiveMode::kIfAvailable;
  std::string interactive_mode_name = {};  // as it was given
};

// Who we are, for one while. Never print this.
struct Credential {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  std::optional<std::chrono::sys_seconds> expires;  // absent: as long as we run

  bool operator==(const Credential&) const = default;
};

// What is wrong with the entry of the kubeconfig itself, before anything runs; empty: nothing.
std::vector<std::string> problems_of(const ExecPlugin& plugin, const std::string& user);

// The value of KUBERNETES_EXEC_INFO. `cluster` is told only where the entry asks for it.
std::string exec_info(const ExecPlugin& plugin, const Config& cluster, bool interactive);

// Reads what the program printed. The errors never quote it: it may hold a secret.
Result<Credential> parse_credential(const ExecPlugin& plugin, std::string_view output);

// The install hint on one line, behind a semicolon; empty where there is none.
std::string hint_of(const ExecPlugin& plugin);

}  // namespace pgc::kube
