#include "tests/unit/webhook/server_support.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/support/slowness.h"
#include "tests/unit/webhook/review_support.h"

namespace pgc::webhook::testing {

using Clock = std::chrono::steady_clock;

bool full() {
  const char* value = std::getenv("PGC_TEST_FULL");
  return value != nullptr && *value != '\0';
}

x509::Time now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

x509::Pair a_ca() {
  return x509::make_ca("CA", {now() - std::chrono::hours(1), now() + std::chrono::hours(1)},
                       x509::random_serial())
      .value();
}

x509::Pair a_leaf(const x509::Pair& ca, x509::Usage usage, std::chrono::hours life) {
  return x509::issue_leaf(ca,
                          {.common_name = "x",
                           .dns_names = {kName},
                           .ip_addresses = {},
                           .validity = {now() - std::chrono::hours(2), now() + life},
                           .usage = usage},
                          x509::random_serial())
      .value();
}

Socket::Socket(int port) : number_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval patience{10 * test::kSlowness, 0};
  const int on = 1;
  setsockopt(number_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(number_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(number_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(number_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(number_);
    throw std::runtime_error("no connection to port " + std::to_string(port));
  }
}

Socket::~Socket() {
  ::close(number_);
}

bool Socket::send(const std::string& bytes) const {
  return ::send(number_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

std::string Socket::receive_all() const {
  std::string all;
  char buffer[4096];
  ssize_t size = 0;
  while ((size = ::recv(number_, buffer, sizeof buffer, 0)) > 0) {
    all.append(buffer, static_cast<std::size_t>(size));
  }
  return all;
}

void Socket::end_sending() const {
  ::shutdown(number_, SHUT_WR);
}

Connection::Connection(int port, const Dress& dress)
    : context_(SSL_CTX_new(TLS_client_method())), socket_(port) {
  if (dress.certificate != nullptr) {
    SSL_CTX_use_certificate(context_.get(),
                            x509::read_certificates(dress.certificate->certificate).front().get());
    SSL_CTX_use_PrivateKey(context_.get(), x509::read_key(dress.certificate->key).get());
  }
  if (dress.newest_tls != 0) SSL_CTX_set_max_proto_version(context_.get(), dress.newest_tls);
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
  if (dress.newest_tls != 0 && dress.newest_tls < TLS1_2_VERSION) {
    SSL_CTX_set_security_level(context_.get(), 0);
  }
  for (const auto& root : x509::read_certificates(dress.trusted)) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), root.get());
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  }
  session_.reset(SSL_new(context_.get()));
  if (!dress.trusted.empty()) SSL_set1_host(session_.get(), kName.c_str());
  if (!dress.alpn.empty()) {
    SSL_set_alpn_protos(session_.get(), reinterpret_cast<const unsigned char*>(dress.alpn.data()),
                        static_cast<unsigned>(dress.alpn.size()));
  }
  SSL_set_fd(session_.get(), socket_.number());
  open_ = SSL_connect(session_.get()) == 1;
  ERR_clear_error();
}

bool Connection::send(const std::string& text) {
  ERR_clear_error();
  return open_ && SSL_write(session_.get(), text.data(), static_cast<int>(text.size())) ==
                      static_cast<int>(text.size());
}

std::string Connection::read_some() {
  if (!open_) return {};
  char buffer[16384];
  ERR_clear_error();
  const int size = SSL_read(session_.get(), buffer, sizeof buffer);
  return size > 0 ? std::string(buffer, static_cast<std::size_t>(size)) : std::string();
}

std::string Connection::receive(const std::string& enough) {
  std::string text = std::move(buffer_);
  buffer_.clear();
  while (text.find(enough) == std::string::npos) {
    const std::string more = read_some();
    if (more.empty()) break;
    text += more;
  }
  return text;
}

std::optional<HttpAnswer> Connection::answer() {
  const auto more = [this] {
    const std::string part = read_some();
    buffer_ += part;
    return !part.empty();
  };
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return std::nullopt;
  }
  HttpAnswer answer;
  answer.head = buffer_.substr(0, end + 2);
  if (!answer.head.starts_with("HTTP/1.1 ")) return std::nullopt;
  answer.status = std::atoi(answer.head.c_str() + 9);
  const auto length = answer.head.find("\r\nContent-Length: ");
  const std::size_t size =
      length == std::string::npos
          ? 0
          : static_cast<std::size_t>(std::atoll(answer.head.c_str() + length + 18));
  while (buffer_.size() < end + 4 + size) {
    if (!more()) return std::nullopt;
  }
  answer.body = buffer_.substr(end + 4, size);
  buffer_.erase(0, end + 4 + size);
  return answer;
}

std::optional<HttpAnswer> Connection::ask(const std::string& request) {
  return send(request) ? answer() : std::nullopt;
}

bool Connection::closed() {
  return read_some().empty();
}

std::string Connection::version() const {
  return SSL_get_version(session_.get());
}

std::string Connection::protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(session_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::string post(const std::string& headers, const std::string& body, const std::string& path) {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + headers +
         "\r\n" + body;
}

std::string with_length(const std::string& body, const std::string& path) {
  return post("Content-Length: " + std::to_string(body.size()) + "\r\n", body, path);
}

const std::string& a_good_review() {
  static const std::string review = a_review("CREATE", cluster({{"version", "16"}})).dump();
  return review;
}

Running::Running(ServerOptions options)
    : log_(
          [this](const std::string& line) {
            const std::lock_guard lock(mutex_);
            lines_.push_back(line);
          },
          LogLevel::kDebug),
      server_((options.port = 0, options), certificate_, log_, registry_) {
  const auto leaf = a_leaf(ca);
  if (!certificate_.offer({leaf.certificate, leaf.key, ca.certificate}, now())) {
    throw std::runtime_error("the test's own certificate is no good");
  }
  port = server_.start().value();
}

std::vector<std::string> Running::log_lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

namespace {

// What is wrong with an answer; empty where it is right.
std::string failure_in(const std::optional<HttpAnswer>& answer) {
  if (!answer) return "no answer";
  const bool right =
      answer->status == 200 && answer->body.find("\"allowed\":true") != std::string::npos;
  return right ? "" : answer->head + answer->body;
}

}  // namespace

Load::Load(Where where, int clients, double requests_per_second, bool keep_alive)
    : where_(std::move(where)), keep_alive_(keep_alive) {
  const auto pause = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(clients / requests_per_second));
  for (int i = 0; i < clients; ++i) {
    clients_.emplace_back([this, pause, begin = Clock::now() + pause * i / clients](
                              std::stop_token stop) { run(begin, pause, stop); });
  }
}

Load::~Load() = default;

void Load::run(Clock::time_point due, Clock::duration pause, std::stop_token stop) {
  std::unique_ptr<Connection> connection;
  for (; !stop.stop_requested(); due += pause) {
    std::this_thread::sleep_until(due);
    const auto begin = Clock::now();
    std::string failure;
    try {
      failure = ask(connection);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    if (!failure.empty()) connection.reset();
    count(failure, Clock::now() - begin);
  }
}

std::string Load::ask(std::unique_ptr<Connection>& connection) {
  if (!connection) {
    const auto [port, trusted] = where_();
    connection = std::make_unique<Connection>(port, Dress{.trusted = trusted});
    const std::lock_guard lock(mutex_);
    ++counts_.connections;
  }
  if (!connection->is_open()) return "no handshake";
  const auto answer = connection->ask(with_length(a_good_review()));
  if (!keep_alive_ || !answer || answer->ends_connection()) connection.reset();
  return failure_in(answer);
}

void Load::count(const std::string& failure, std::chrono::duration<double> took) {
  const std::lock_guard lock(mutex_);
  ++counts_.asked;
  counts_.slowest = std::max(counts_.slowest, took);
  if (!failure.empty() && counts_.failed++ == 0) counts_.first_failure = failure;
}

Load::Counts Load::finish() {
  for (auto& client : clients_) client.request_stop();
  clients_.clear();
  return so_far();
}

Load::Counts Load::so_far() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace pgc::webhook::testing
