// From the connection flags to a client of the API server.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "plugin/process.h"
#include "shared/kube/client.h"
#include "shared/kube/kubeconfig.h"

namespace pgc::plugin {

struct ConnectionFlags {
  kube::KubeconfigOptions kubeconfig;
  std::chrono::milliseconds request_timeout{30'000};
};

struct Connection {
  std::unique_ptr<kube::Client> client;
  std::string ns;      // where the command works
  std::string server;  // for messages
};

kube::Result<Connection> connect(const ConnectionFlags& flags, const Process& process);

// client-go's rule for what may stand in a path of the API, so that a name with a slash in it can't
// reach another object.
kube::Result<void> check_path_segment(const std::string& what, const std::string& text);

}  // namespace pgc::plugin
