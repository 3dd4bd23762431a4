#include "tests/support/socket_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "shared/x509/handles.h"

namespace pgc::test {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;

void use_certificates(SSL_CTX* context, const x509::Pair& pair) {
  const auto chain = x509::read_certificates(pair.certificate);
  const auto key = x509::read_key(pair.key);
  SSL_CTX_use_certificate(context, chain.at(0).get());
  for (std::size_t i = 1; i < chain.size(); ++i) SSL_CTX_add1_chain_cert(context, chain[i].get());
  SSL_CTX_use_PrivateKey(context, key.get());
}

Context context_of(const ServerTls& tls) {
  Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  use_certificates(context.get(), tls.certificate);
  if (!tls.client_ca.empty()) {
    for (const auto& ca : x509::read_certificates(tls.client_ca)) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca.get());
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

std::size_t length_of_body(std::string_view head) {
  const auto at = head.find("\r\nContent-Length: ");
  return at == std::string_view::npos ? 0 : std::stoul(std::string(head.substr(at + 18, 12)));
}

bool whole(std::string_view text) {
  const auto end = text.find("\r\n\r\n");
  return end != std::string_view::npos &&
         text.size() >= end + 4 + length_of_body(text.substr(0, end + 2));
}

}  // namespace

void Peer::drip(std::string_view bytes, std::chrono::milliseconds each) {
  for (const char byte : bytes) {
    if (!write({&byte, 1})) return;
    std::this_thread::sleep_for(each);
  }
}

void Peer::answer(int code, std::string_view body, std::string_view more_headers) {
  write("HTTP/1.1 " + std::to_string(code) +
        " X\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n" + std::string(more_headers) + "\r\n" + std::string(body));
}

class SocketPeer final : public Peer {
 public:
  SocketPeer(SocketServer& server, int socket) : server_(server), socket_(socket) {}
  ~SocketPeer() override { close(); }

  bool shake_hands(SSL_CTX* context) {
    session_.reset(SSL_new(context));
    SSL_set_fd(session_.get(), socket_);
    const bool done = SSL_accept(session_.get()) == 1;
    const char* name = SSL_get_servername(session_.get(), TLSEXT_NAMETYPE_host_name);
    const x509::CertificateHandle leaf(SSL_get1_peer_certificate(session_.get()));
    const auto* others = SSL_get_peer_cert_chain(session_.get());  // at a server without the leaf
    const std::lock_guard lock(server_.mutex_);
    server_.names_.emplace_back(name == nullptr ? "" : name);
    server_.certificates_.push_back((leaf ? 1 : 0) + (others == nullptr ? 0 : sk_X509_num(others)));
    return done;
  }

  std::string read_request() override { return read_until(whole); }

  void wait_for_bytes() override { wait(); }

  std::string read_head() override {
    return read_until(
        [](std::string_view text) { return text.find("\r\n\r\n") != std::string_view::npos; });
  }

  void say_goodbye() override {
    if (session_) SSL_shutdown(session_.get());
    if (!session_) ::shutdown(socket_, SHUT_WR);
  }

  bool write(std::string_view bytes) override {
    while (!bytes.empty() && !server_.ending_ && socket_ >= 0) {
      const int count = static_cast<int>(bytes.size());
      const auto size =
          session_ ? SSL_write(session_.get(), bytes.data(), count)
                   : static_cast<int>(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
      if (size <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return bytes.empty();
  }

  void close() override {
    if (socket_ < 0) return;
    if (session_) SSL_shutdown(session_.get());
    ::close(std::exchange(socket_, -1));
  }

  void reset() override {
    if (socket_ < 0) return;
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(std::exchange(socket_, -1));
  }

  void wait_for_end() override {
    char buffer[8192];
    while (wait() && read(buffer, sizeof buffer) > 0) {
    }
  }

  void relay_to(int port) override {
    const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      while (pass_on(other)) {
      }
    }
    ::close(other);
  }

 private:
  // False where a side has hung up.
  bool pass_on(int other) {
    pollfd ready[]{{.fd = socket_, .events = POLLIN, .revents = 0},
                   {.fd = other, .events = POLLIN, .revents = 0}};
    if (server_.ending_ || ::poll(ready, 2, 20) < 0) return false;
    for (const auto& [from, to] : {std::pair(0, other), std::pair(1, socket_)}) {
      if (ready[from].revents == 0) continue;
      char buffer[8192];
      const auto size = ::recv(ready[from].fd, buffer, sizeof buffer, 0);
      if (size <= 0) return false;
      ::send(to, buffer, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    }
    return true;
  }

  std::string read_until(const std::function<bool(std::string_view)>& enough) {
    std::string text;
    char buffer[8192];
    while (!enough(text)) {
      const int size = wait() ? read(buffer, sizeof buffer) : 0;
      if (size <= 0) return "";
      text.append(buffer, static_cast<std::size_t>(size));
    }
    const std::lock_guard lock(server_.mutex_);
    server_.requests_.push_back(text);
    return text;
  }

  bool wait() {
    while (!server_.ending_ && socket_ >= 0) {
      if (session_ && SSL_pending(session_.get()) > 0) return true;
      pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 20) > 0) return true;
    }
    return false;
  }

  int read(char* into, int size) {
    return session_ ? SSL_read(session_.get(), into, size)
                    : static_cast<int>(::recv(socket_, into, static_cast<std::size_t>(size), 0));
  }

  SocketServer& server_;
  int socket_;
  Session session_{nullptr, SSL_free};
};

SocketServer::SocketServer(Script script, std::optional<ServerTls> tls)
    : script_(std::move(script)),
      tls_(std::move(tls)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to peers that may have hung up
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0) {
    throw std::runtime_error("no port to listen at");
  }
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
}

SocketServer::~SocketServer() {
  ending_ = true;
  acceptor_.request_stop();
  acceptor_.join();
  ::close(listener_);
  threads_.clear();
}

void SocketServer::accept_all(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd ready{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 10) <= 0) continue;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    ++connections_;
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

void SocketServer::serve(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  SocketPeer peer(*this, socket);
  const Context context = tls_ ? context_of(*tls_) : Context(nullptr, SSL_CTX_free);
  if (tls_ && !peer.shake_hands(context.get())) return;
  script_(peer);
}

std::string SocketServer::url() const {
  return (tls_ ? "https" : "http") + std::string("://127.0.0.1:") + std::to_string(port_);
}

std::vector<std::string> SocketServer::requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<std::string> SocketServer::server_names() {
  const std::lock_guard lock(mutex_);
  return names_;
}

std::vector<int> SocketServer::client_certificates() {
  const std::lock_guard lock(mutex_);
  return certificates_;
}

namespace {

x509::Validity an_hour_around_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {now - std::chrono::hours(1), now + std::chrono::hours(1)};
}

}  // namespace

x509::Pair a_test_ca(const std::string& name) {
  return x509::make_ca(name, an_hour_around_now(), x509::random_serial()).value();
}

x509::Pair a_test_certificate(const x509::Pair& ca, const std::vector<std::string>& names,
                              const std::vector<std::string>& addresses, x509::Usage usage) {
  return x509::issue_leaf(ca,
                          {.common_name = "test",
                           .dns_names = names,
                           .ip_addresses = addresses,
                           .validity = an_hour_around_now(),
                           .usage = usage},
                          x509::random_serial())
      .value();
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace pgc::test
