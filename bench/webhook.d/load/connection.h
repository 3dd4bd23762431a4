// A connection as the API server holds it to a webhook: HTTP/1.1 over TLS, kept alive, one request
// at a time. Not for several threads. As small as it can be, so that the machine's time goes to the
// server that is measured.
#pragma once

#include <openssl/ssl.h>

#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace pgc::bench {

struct Reply {
  int status = 0;
  std::string_view body;  // valid until the next post()
};

class Connection {
 public:
  // To 127.0.0.1. `ca_file`: what the server's certificate must lead to.
  static std::expected<Connection, std::string> open(int port, const std::string& ca_file);
  Connection(Connection&&) = default;
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  // `request` is headers and body.
  std::expected<Reply, std::string> post(std::string_view request);

 private:
  Connection() = default;
  std::expected<void, std::string> shake_hands(int port, const std::string& ca_file);
  bool read_more();
  bool read_until(std::size_t size);
  std::expected<Reply, std::string> read_reply();
  bool read_chunks(std::size_t begin);

  struct Close {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* session) const { SSL_free(session); }
  };
  std::unique_ptr<SSL_CTX, Close> context_;
  std::unique_ptr<SSL, Close> session_;
  std::string received_;
  std::string joined_;  // a chunked body without its chunks
};

}  // namespace pgc::bench
