// The admission endpoints over HTTPS, and nothing else on that port.
//
// HTTP/1.1, TLS 1.2 or newer, two literal routes. What a peer may cost is bounded: bytes of a body,
// seconds of each phase of a connection, connections in all.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "shared/log/log.h"
#include "webhook/connection_guard.h"
#include "webhook/serving_certificate.h"

namespace pgc::webhook {

struct ServerOptions {
  int port = 9443;  // 0: any free one
  // CAs in PEM form; if given, only clients with a certificate of theirs are answered.
  std::string client_ca_pem;
  // One connection holds one worker, and each API server keeps up to 25 idle ones: enough for five
  // of them. Threads that never work cost next to nothing.
  std::size_t workers = 128;
  ConnectionLimits limits;
};

class Server {
 public:
  // `certificate` and `log` must outlive the server.
  Server(const ServerOptions& options, const ServingCertificate& certificate, const Log& log);
  ~Server();

  // Binds on all addresses and serves in the background. Returns the port.
  std::expected<int, std::string> start();
  // Takes no more connections, lets requests under way finish, and returns when all are done.
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pgc::webhook
