// A server on a socket of this machine that does to each connection what a script says: it answers,
// lies, dawdles and hangs up, with TLS or without.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "shared/x509/x509.h"

namespace pgc::test {

// One connection, as the server sees it. One thread. Where the other side has gone, or the server
// ends, nothing is read or written any more.
class Peer {
 public:
  virtual ~Peer() = default;
  // The next request, head and body; "" where there is none any more.
  virtual std::string read_request() = 0;
  // Until something has come, which is left unread.
  virtual void wait_for_bytes() = 0;
  // The head of the next request alone.
  virtual std::string read_head() = 0;
  // Says that nothing more will come, and goes on reading.
  virtual void say_goodbye() = 0;
  // False where the other side has gone.
  virtual bool write(std::string_view bytes) = 0;
  // Ends the connection: in good order, or by a reset.
  virtual void close() = 0;
  virtual void reset() = 0;
  // Until the other side hangs up.
  virtual void wait_for_end() = 0;
  // Passes everything on to a port of this machine and back, until one side hangs up.
  virtual void relay_to(int port) = 0;

  void drip(std::string_view bytes, std::chrono::milliseconds each);
  // A whole answer with its length.
  void answer(int code, std::string_view body, std::string_view more_headers = "");
};

// What the clients of a TlsServer must show, and what it shows.
struct ServerTls {
  x509::Pair certificate;
  std::string client_ca = {};  // PEM; empty: clients show nothing
};

class SocketServer {
 public:
  using Script = std::function<void(Peer& peer)>;

  // Runs `script` for each connection in a thread of its own. What it throws fails the connection.
  explicit SocketServer(Script script, std::optional<ServerTls> tls = std::nullopt);
  ~SocketServer();

  int port() const { return port_; }
  // "http://127.0.0.1:PORT", or https.
  std::string url() const;
  int connections() const { return connections_; }
  // The heads and bodies that were read, in order.
  std::vector<std::string> requests();
  // What clients showed in their TLS handshakes: the server's name that they asked for, and how
  // many certificates they have.
  std::vector<std::string> server_names();
  std::vector<int> client_certificates();

 private:
  friend class SocketPeer;
  void accept_all(const std::stop_token& stop);
  void serve(int socket);

  const Script script_;
  const std::optional<ServerTls> tls_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> ending_ = false;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::string> requests_;
  std::vector<std::string> names_;
  std::vector<int> certificates_;
  std::vector<std::jthread> threads_;

  std::jthread acceptor_;
};

// A CA of tests, and a certificate by it for 127.0.0.1 and `names`.
x509::Pair a_test_ca(const std::string& name = "test CA");
x509::Pair a_test_certificate(const x509::Pair& ca, const std::vector<std::string>& names = {},
                              const std::vector<std::string>& addresses = {"127.0.0.1"},
                              x509::Usage usage = x509::Usage::kServerAndClient);

// How many descriptors this process has open.
std::size_t open_descriptors();

}  // namespace pgc::test
