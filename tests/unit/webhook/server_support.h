// A webhook server on a socket of its own, and clients that say exactly what they are told to.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "shared/x509/handles.h"
#include "shared/x509/x509.h"
#include "webhook/server.h"

namespace pgc::webhook::testing {

using std::chrono::milliseconds;

inline const std::string kName = "pgc-webhook.pgc-system.svc";
inline const std::string kPath = "/validate-db-example-com-v1-postgrescluster";
inline const std::string kMutatePath = "/mutate-db-example-com-v1-postgrescluster";

// PGC_TEST_FULL is set: suites that are shortened otherwise run whole.
bool full();

x509::Time now();
x509::Pair a_ca();
x509::Pair a_leaf(const x509::Pair& ca, x509::Usage usage = x509::Usage::kServer,
                  std::chrono::hours life = std::chrono::hours(1));

struct HttpAnswer {
  int status = 0;
  std::string head;
  std::string body;
  bool ends_connection() const { return head.find("\r\nConnection: close") != std::string::npos; }
};

// A TCP connection to a port of this machine. Reads give up after ten seconds, with a sanitizer
// later.
class Socket {
 public:
  explicit Socket(int port);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int number() const { return number_; }
  bool send(const std::string& bytes) const;
  std::string receive_all() const;  // until the end
  void end_sending() const;

 private:
  int number_;
};

// What a client shows, whom it trusts, and what it insists on.
struct Dress {
  const x509::Pair* certificate = nullptr;
  std::string trusted = {};  // PEM; empty: everybody
  int newest_tls = 0;        // TLS1_2_VERSION; 0: any
  std::string alpn = {};     // in wire format
};

// TLS over a Socket.
class Connection {
 public:
  explicit Connection(int port, const Dress& dress = {});

  bool is_open() const { return open_; }  // hands were shaken
  bool send(const std::string& text);
  // Everything until the server has no more to say or `enough` has come.
  std::string receive(const std::string& enough);
  // The next answer; nothing where the connection ended before it was whole.
  std::optional<HttpAnswer> answer();
  std::optional<HttpAnswer> ask(const std::string& request);
  bool closed();  // waits for it
  std::string version() const;
  std::string protocol() const;  // by ALPN
  Socket& socket() { return socket_; }

 private:
  std::string read_some();

  std::unique_ptr<SSL_CTX, x509::Freeing<SSL_CTX_free>> context_;
  Socket socket_;
  std::unique_ptr<SSL, x509::Freeing<SSL_free>> session_;
  std::string buffer_;
  bool open_ = false;
};

std::string post(const std::string& headers, const std::string& body,
                 const std::string& path = kPath);
std::string with_length(const std::string& body, const std::string& path = kPath);
const std::string& a_good_review();

// A server with a certificate, until it goes.
class Running {
 public:
  explicit Running(ServerOptions options = {});

  ServingCertificate& certificate() { return certificate_; }
  Server& server() { return server_; }
  const metrics::Registry& registry() const { return registry_; }
  std::vector<std::string> log_lines() const;
  void stop() { server_.stop(); }

  const x509::Pair ca = a_ca();
  int port = 0;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  ServingCertificate certificate_{kName};
  const Log log_;
  metrics::Registry registry_;
  Server server_;
};

// Clients that ask for reviews at a steady rate, each on a connection that it keeps, as an API
// server does, and counts what went wrong.
class Load {
 public:
  struct Counts {
    std::size_t asked = 0;
    std::size_t failed = 0;
    std::size_t connections = 0;
    std::chrono::duration<double> slowest{0};
    std::string first_failure = {};
  };
  // Where to connect, and whom to trust there; asked for each new connection.
  using Where = std::function<std::pair<int, std::string>()>;

  Load(Where where, int clients, double requests_per_second, bool keep_alive = true);
  ~Load();
  Counts finish();  // ends the clients after the answers that are due
  Counts so_far() const;

 private:
  using Clock = std::chrono::steady_clock;

  void run(Clock::time_point due, Clock::duration pause, std::stop_token stop);
  std::string ask(std::unique_ptr<Connection>& connection);
  void count(const std::string& failure, std::chrono::duration<double> took);

  const Where where_;
  const bool keep_alive_;
  mutable std::mutex mutex_;
  Counts counts_;
  std::vector<std::jthread> clients_;
};

}  // namespace pgc::webhook::testing
