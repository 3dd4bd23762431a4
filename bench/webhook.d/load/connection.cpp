#include "bench/webhook.d/load/connection.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

namespace pgc::bench {
namespace {

constexpr const char* kServerName = "pgc-webhook.pgc-system.svc";
constexpr std::string_view kEndOfLine = "\r\n";
constexpr std::string_view kEndOfHeaders = "\r\n\r\n";

std::string last_error() {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  return text;
}

int dial(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  const timeval patience{30, 0};
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return socket;
  }
  close(socket);
  return -1;
}

// The value of a header, whose name is given in lower case with its colon; empty: not there.
std::string_view header(std::string_view headers, std::string_view name) {
  std::size_t line = headers.find(kEndOfLine);
  while (line != std::string_view::npos) {
    const std::string_view rest = headers.substr(line + kEndOfLine.size());
    if (rest.size() >= name.size() && strncasecmp(rest.data(), name.data(), name.size()) == 0) {
      std::string_view value = rest.substr(name.size(), rest.find(kEndOfLine) - name.size());
      return value.substr(std::min(value.find_first_not_of(' '), value.size()));
    }
    line = headers.find(kEndOfLine, line + kEndOfLine.size());
  }
  return {};
}

std::size_t number(std::string_view text, int base) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

}  // namespace

std::expected<Connection, std::string> Connection::open(int port, const std::string& ca_file) {
  Connection connection;
  if (auto ready = connection.shake_hands(port, ca_file); !ready) {
    return std::unexpected(ready.error());
  }
  return connection;
}

Connection::~Connection() {
  if (session_) close(SSL_get_fd(session_.get()));
}

std::expected<void, std::string> Connection::shake_hands(int port, const std::string& ca_file) {
  context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  if (SSL_CTX_load_verify_file(context_.get(), ca_file.c_str()) != 1) {
    return std::unexpected(ca_file + ": " + last_error());
  }
  const int socket = dial(port);
  if (socket < 0) return std::unexpected("cannot connect to port " + std::to_string(port));
  session_.reset(SSL_new(context_.get()));
  SSL_set_fd(session_.get(), socket);
  SSL_set1_host(session_.get(), kServerName);
  SSL_ctrl(session_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           const_cast<char*>(kServerName));
  if (SSL_connect(session_.get()) == 1) return {};
  return std::unexpected("TLS on port " + std::to_string(port) + ": " + last_error());
}

std::expected<Reply, std::string> Connection::post(std::string_view request) {
  if (SSL_write(session_.get(), request.data(), static_cast<int>(request.size())) <= 0) {
    return std::unexpected("cannot send: " + last_error());
  }
  received_.clear();
  return read_reply();
}

bool Connection::read_more() {
  char part[16'384];  // the largest TLS record
  const int size = SSL_read(session_.get(), part, sizeof part);
  if (size > 0) received_.append(part, static_cast<std::size_t>(size));
  return size > 0;
}

bool Connection::read_until(std::size_t size) {
  while (received_.size() < size) {
    if (!read_more()) return false;
  }
  return true;
}

std::expected<Reply, std::string> Connection::read_reply() {
  const auto cut_off = std::unexpected("the server hung up: " + received_);
  std::size_t end = 0;
  while ((end = received_.find(kEndOfHeaders)) == std::string::npos) {
    if (!read_more()) return cut_off;
  }
  const std::size_t begin = end + kEndOfHeaders.size();
  const std::string headers = received_.substr(0, begin);
  Reply reply{.status = static_cast<int>(number(headers.substr(9, 3), 10)), .body = {}};
  if (header(headers, "transfer-encoding:") == "chunked") {
    if (!read_chunks(begin)) return cut_off;
    reply.body = joined_;
  } else {
    if (!read_until(begin + number(header(headers, "content-length:"), 10))) return cut_off;
    reply.body = std::string_view(received_).substr(begin);
  }
  return reply;
}

bool Connection::read_chunks(std::size_t begin) {
  joined_.clear();
  while (true) {
    std::size_t line = 0;
    while ((line = received_.find(kEndOfLine, begin)) == std::string::npos) {
      if (!read_more()) return false;
    }
    const std::size_t size = number(std::string_view(received_).substr(begin, line - begin), 16);
    const std::size_t data = line + kEndOfLine.size();
    if (!read_until(data + size + kEndOfLine.size())) return false;
    if (size == 0) return true;
    joined_.append(received_, data, size);
    begin = data + size + kEndOfLine.size();
  }
}

}  // namespace pgc::bench
