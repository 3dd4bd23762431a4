// The admission endpoints over HTTPS, and nothing else on that port.
//
// HTTP/1.1, TLS 1.2 or newer, two literal routes for each kind that is judged. What a peer may cost
// is bounded (limits.h). A request whose head is wrong is answered by a status and not read.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "shared/log/log.h"
#include "shared/metrics/metrics.h"
#include "webhook/judge.h"
#include "webhook/limits.h"
#include "webhook/serving_certificate.h"

namespace pgc::webhook {

struct ServerOptions {
  int port = 9443;  // 0: any free one
  // CAs in PEM form; if given, only clients with a certificate of theirs are answered.
  std::string client_ca_pem = {};
  // One connection holds one worker, and each API server keeps up to 25 idle ones: enough for five
  // of them. Threads that never work cost next to nothing.
  std::size_t workers = 128;
  Limits limits = {};
  std::vector<Judge> judges = {judge_of_postgres_clusters()};
};

class Server {
 public:
  // The others must outlive the server.
  Server(const ServerOptions& options, const ServingCertificate& certificate, const Log& log,
         metrics::Registry& registry);
  ~Server();

  // Binds on all addresses and serves in the background. Returns the port.
  std::expected<int, std::string> start();
  // Serves on, but says with each answer that its connection ends, so that clients come back
  // elsewhere.
  void leave();
  // Takes no more connections, answers the requests that are there, and returns when all are done.
  void stop();

 private:
  struct Parts;
  const ServingCertificate& certificate_;
  const ServerOptions options_;
  const Log& log_;
  metrics::Registry& registry_;
  std::unique_ptr<Parts> parts_;  // once started
};

}  // namespace pgc::webhook
