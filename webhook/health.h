// What the kubelet's probes ask, and Prometheus, on a plain port of its own (a probe can show no
// client certificate).
//
// Alive: the process answers. Ready: a TLS connection to the pod's own address, as the API server
// would make it, is accepted and shows a certificate that is valid for the Service's name under the
// CA that stands in the Secret; and nobody has asked the process to end.
#pragma once

#include <atomic>
#include <expected>
#include <string>

#include "shared/health/health_server.h"
#include "shared/metrics/metrics.h"
#include "webhook/serving_certificate.h"

namespace pgc::webhook {

// Shakes hands with `address` and hangs up. At most two seconds. With a required client certificate
// the peer's certificate is still verified; TLS 1.3 lets the client finish before the server judges
// it.
std::expected<void, std::string> dial(const std::string& address, int port,
                                      const std::string& server_name, const std::string& ca_pem);

class Health {
 public:
  // `certificate` and `registry` must outlive this. `address` and `webhook_port` are where to dial.
  Health(const ServingCertificate& certificate, const metrics::Registry& registry,
         std::string address, int webhook_port);
  // 0: any free port. Returns the port.
  std::expected<int, std::string> start(int port) { return server_.start(port); }
  void leave() { leaving_ = true; }  // not ready from now on

 private:
  std::expected<void, std::string> ready() const;

  const ServingCertificate& certificate_;
  const std::string address_;
  const int webhook_port_;
  std::atomic<bool> leaving_ = false;
  HealthServer server_;  // last: it asks the others
};

}  // namespace pgc::webhook
