// One context's cluster and user as plain fields, and the Config that they make. Internal to
// kubeconfig.cpp, which finds the files and chooses the context.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared/kube/kubeconfig.h"

namespace pgc::kube {

struct ClusterFields {
  std::string name;
  std::string server;
  std::string ca_file;
  std::string ca_data;
  std::string tls_server_name;
  std::string proxy_url;
  bool insecure = false;
  std::string exec_config;  // for exec plugins, as JSON
};

struct UserFields {
  std::string name;
  std::string certificate_file;
  std::string certificate_data;
  std::string key_file;
  std::string key_data;
  std::string token;
  std::string token_file;
  std::string username;
  std::string password;
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
  std::vector<std::pair<std::string, std::string>> as_extra;
  std::optional<ExecPlugin> exec;
  std::string provider;  // the name of an auth-provider
};

// What the command line says wins.
void override_cluster(ClusterFields& cluster, const KubeconfigOptions& options);
void override_user(UserFields& user, const KubeconfigOptions& options);

// Reads the files that the fields name. Credentials are left out for a server without TLS.
Result<Config> to_config(const ClusterFields& cluster, const UserFields& user);

// The errors of this folder's kubeconfig code.
Error refuse_kubeconfig(std::string message);
Error contradictory_kubeconfig(std::vector<std::string> problems);  // at least one

// "open PATH: no such file or directory" where it can't be read.
Result<std::string> read_config_file(const std::filesystem::path& path);

}  // namespace pgc::kube
