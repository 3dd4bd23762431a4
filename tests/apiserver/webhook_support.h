// A pgc-webhook of this build that a real API server calls, and what the test needs around it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shared/kube/client.h"
#include "shared/kube/config.h"
#include "shared/x509/x509.h"

namespace pgc::webhook::testing {

using kube::Json;

inline constexpr kube::ResourceType kNamespaces{"", "v1", "namespaces", "Namespace", false};

// The cluster that KUBECONFIG names; the test ends as skipped where there is none.
kube::Config cluster_config();
std::unique_ptr<kube::Client> connect(const kube::Config& config);
// Our own address on the way to the API server, which is the way back as well.
std::string own_address(const kube::Config& config);

void install_crd(kube::Client& client);
// The documents of a file of the repository.
std::vector<Json> documents_of(const std::string& path);

// Asks again every 100 ms, for at most 20 s.
bool eventually(const std::function<bool()>& condition);

// A CA for the test, and leaves for the service's name and an address.
x509::Pair make_ca();
x509::Pair make_leaf(const x509::Pair& ca, const std::string& server_name,
                     const std::string& address);

// A running program, ended with the object.
class Program {
 public:
  Program(const std::vector<std::string>& command, std::string log_file);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // SIGTERM, and the exit code; -1 where a signal ended it.
  int terminate();
  std::string log() const;
  // The integer behind `key` in the program's log, once it is there; 0 after 20 s.
  int logged(const std::string& key) const;

 private:
  std::string log_file_;
  int pid_ = 0;
};

}  // namespace pgc::webhook::testing
