// What the kubelet's probes ask the operator: /healthz and /readyz on a plain port.
#pragma once

#include <expected>
#include <memory>
#include <string>

namespace pgc {

class HealthServer {
 public:
  HealthServer();
  ~HealthServer();  // stops it

  // Answers 200 to both paths from now on: a candidate that waits for the lease is ready, too.
  std::expected<void, std::string> start(int port);

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace pgc
