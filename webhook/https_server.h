// HTTP by cpp-httplib over connections of our own: what a peer may cost is bounded here, what it
// says is understood there. For server.cpp alone.
//
// A connection has 3 s for its handshake, then waits for requests; each has 10 s from its first
// byte to the last byte of its answer. After anything that was not understood, or not read to its
// end, nothing more is taken from that connection.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "webhook/connections.h"
#include "webhook/limits.h"
#include "webhook/tls_context.h"
#include "webhook/tls_stream.h"

namespace pgc::webhook {

// Why a connection ended that was not simply closed by its peer.
enum class Ending { kHandshakeFailed, kLate, kNotUnderstood, kCrowdedOut };

// What a worker knows of the connection it serves. A handler finds it by its request.
struct Connection {
  TlsStream stream;
  Connections::Place place;
  bool understood = false;  // the headers of the present request
  bool last = false;        // the present request is the last one

  static Connection& of(const httplib::Request& request);
};

class HttpsServer final : public httplib::Server {
 public:
  HttpsServer(ContextHandle context, const Limits& limits, std::size_t workers);

  // Returns the port, or -1. 0: any free one.
  int listen_on(int port);

  // From now on each answer says that it is its connection's last one.
  void leave() { leaving_ = true; }
  // Takes no more connections; requests that are there are answered; returns when listen_after_bind
  // is about to.
  void end();

  void on_ending(std::function<void(Ending)> listener) { on_ending_ = std::move(listener); }

 private:
  bool process_and_close_socket(socket_t socket) override;
  void serve(int socket);
  bool serve_request(Connection& connection, SSL* session);
  void tell(Ending ending) const {
    if (on_ending_) on_ending_(ending);
  }

  const ContextHandle context_;
  const Limits limits_;
  Connections connections_;
  std::function<void(Ending)> on_ending_;
  std::atomic<bool> leaving_ = false;
};

}  // namespace pgc::webhook
