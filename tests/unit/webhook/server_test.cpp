// The server over a real socket, asked by a client that can also misbehave.
#include "webhook/server.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "shared/x509/handles.h"
#include "shared/x509/x509.h"
#include "tests/unit/webhook/review_support.h"
#include "webhook/health.h"

namespace pgc::webhook {
namespace {

using std::chrono::milliseconds;
using ContextHandle = std::unique_ptr<SSL_CTX, x509::Freeing<SSL_CTX_free>>;

const std::string kName = "pgc-webhook.pgc-system.svc";
const std::string kPath = "/validate-db-example-com-v1-postgrescluster";

x509::Time now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

x509::Pair a_ca() {
  return x509::make_ca("CA", {now() - std::chrono::hours(1), now() + std::chrono::hours(1)},
                       x509::random_serial())
      .value();
}

x509::Pair a_leaf(const x509::Pair& ca, x509::Usage usage) {
  return x509::issue_leaf(
             ca,
             {.common_name = "x",
              .dns_names = {kName},
              .ip_addresses = {},
              .validity = {now() - std::chrono::hours(1), now() + std::chrono::hours(1)},
              .usage = usage},
             x509::random_serial())
      .value();
}

// A TLS connection that says what it is told to say.
class Connection {
 public:
  Connection(int port, const x509::Pair* client = nullptr)
      : context_(SSL_CTX_new(TLS_client_method())) {
    if (client != nullptr) {
      SSL_CTX_use_certificate(context_.get(),
                              x509::read_certificates(client->certificate).front().get());
      SSL_CTX_use_PrivateKey(context_.get(), x509::read_key(client->key).get());
    }
    bio_.reset(BIO_new_ssl_connect(context_.get()));
    BIO_set_conn_hostname(bio_.get(), ("127.0.0.1:" + std::to_string(port)).c_str());
    REQUIRE(BIO_do_connect(bio_.get()) == 1);
  }

  bool send(const std::string& text) {
    return BIO_write(bio_.get(), text.data(), static_cast<int>(text.size())) > 0;
  }
  // Everything until the server has no more to say or `enough` has come.
  std::string receive(const std::string& enough) {
    std::string text;
    char buffer[4096];
    while (text.find(enough) == std::string::npos) {
      const int size = BIO_read(bio_.get(), buffer, sizeof buffer);
      if (size <= 0) break;
      text.append(buffer, static_cast<std::size_t>(size));
    }
    ERR_clear_error();
    return text;
  }
  bool closed() {
    char byte = 0;
    return BIO_read(bio_.get(), &byte, 1) <= 0;
  }

 private:
  ContextHandle context_;
  x509::BioHandle bio_;
};

std::string post(const std::string& headers, const std::string& body) {
  return "POST " + kPath + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + headers +
         "\r\n" + body;
}

std::string with_length(const std::string& body) {
  return post("Content-Length: " + std::to_string(body.size()) + "\r\n", body);
}

class Running {
 public:
  explicit Running(ServerOptions options = {}) : server_(options_for(options), certificate_, log_) {
    const auto leaf = a_leaf(ca, x509::Usage::kServer);
    REQUIRE(certificate_.offer({leaf.certificate, leaf.key, ca.certificate}, now()));
    port = server_.start().value();
  }

  const ServingCertificate& certificate() const { return certificate_; }
  void stop() { server_.stop(); }

  const x509::Pair ca = a_ca();
  int port = 0;

 private:
  static ServerOptions options_for(ServerOptions options) {
    options.port = 0;
    return options;
  }

  ServingCertificate certificate_{kName};
  const Log log_{[](const std::string&) {}};
  Server server_;
};

const std::string kReview =
    testing::a_review("CREATE", testing::cluster({{"version", "16"}})).dump();

TEST_CASE("a review is answered, and the connection serves the next one") {
  Running running;
  Connection connection(running.port);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(connection.send(with_length(kReview)));
    const std::string answer = connection.receive("}}");
    CHECK(answer.starts_with("HTTP/1.1 200 "));
    CHECK(answer.find("\"allowed\":true") != std::string::npos);
  }
}

TEST_CASE("what is no review is refused by status") {
  Running running;
  const std::string chunked = "5\r\nPOST \r\n0\r\n\r\n";
  const std::pair<std::string, const char*> cases[] = {
      {"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 404 "},
      {with_length("{}"), "HTTP/1.1 400 "},
      {post("Transfer-Encoding: chunked\r\n", chunked), "HTTP/1.1 411 "},
      {post("Content-Length: 7340033\r\n", ""), "HTTP/1.1 413 "},
  };
  for (const auto& [request, status] : cases) {
    INFO(request.substr(0, 120));
    Connection connection(running.port);
    REQUIRE(connection.send(request));
    CHECK(connection.receive("\r\n\r\n").starts_with(status));
  }
}

TEST_CASE("nothing behind a body that was left unread is taken for a request") {
  Running running;
  const std::string requests[] = {post("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
                                  post("Content-Length: 7340033\r\n", "")};
  for (const std::string& request : requests) {
    INFO(request);
    Connection connection(running.port);
    REQUIRE(connection.send(request));
    CHECK(connection.receive("\r\n\r\n").starts_with("HTTP/1.1 41"));
    connection.send(with_length(kReview));
    CHECK(connection.receive("HTTP/1.1").find("HTTP/1.1") == std::string::npos);
  }
}

TEST_CASE("with a client CA, only its certificates are answered") {
  const x509::Pair client_ca = a_ca();
  Running running({.port = 0, .client_ca_pem = client_ca.certificate, .workers = 16, .limits = {}});
  const x509::Pair right = a_leaf(client_ca, x509::Usage::kClient);
  const x509::Pair foreign = a_leaf(a_ca(), x509::Usage::kClient);
  const x509::Pair not_for_clients = a_leaf(client_ca, x509::Usage::kServer);
  const auto answer_to = [&](const x509::Pair* client) {
    Connection connection(running.port, client);
    connection.send(with_length(kReview));
    return connection.receive("}}");
  };
  CHECK(answer_to(&right).starts_with("HTTP/1.1 200 "));
  CHECK(answer_to(nullptr).empty());
  CHECK(answer_to(&foreign).empty());
  CHECK(answer_to(&not_for_clients).empty());
}

TEST_CASE("a peer that drips is cut off, whatever it drips") {
  Running running({.port = 0,
                   .client_ca_pem = {},
                   .workers = 16,
                   .limits = {milliseconds(300), milliseconds(600), milliseconds(300)}});
  const auto seconds_until_closed = [](const auto& drip) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 40 && drip(); ++i) std::this_thread::sleep_for(milliseconds(100));
    return std::chrono::steady_clock::now() - begin;
  };
  SECTION("headers") {
    Connection connection(running.port);
    CHECK(seconds_until_closed([&] { return connection.send("P"); }) < std::chrono::seconds(3));
  }
  SECTION("a body") {
    Connection connection(running.port);
    REQUIRE(connection.send(post("Content-Length: 1000\r\n", "{")));
    CHECK(seconds_until_closed([&] { return connection.send(" "); }) < std::chrono::seconds(3));
  }
  SECTION("nothing at all") {
    Connection connection(running.port);
    CHECK(connection.closed());
  }
}

TEST_CASE("readiness asks the server itself, as the API server would") {
  Running running;
  CHECK(dial("127.0.0.1", running.port, kName, running.ca.certificate).has_value());
  CHECK(dial("127.0.0.1", running.port, "a.example", running.ca.certificate)
            .error()
            .ends_with("hostname mismatch"));
  CHECK_FALSE(dial("127.0.0.1", running.port, kName, a_ca().certificate).has_value());
  running.stop();
  CHECK_FALSE(dial("127.0.0.1", running.port, kName, running.ca.certificate).has_value());
}

TEST_CASE("before the first certificate nothing is served") {
  const ServingCertificate none(kName);
  const Log log([](const std::string&) {});
  Server server({.port = 0, .client_ca_pem = {}, .workers = 16, .limits = {}}, none, log);
  const int port = server.start().value();
  CHECK_FALSE(dial("127.0.0.1", port, kName, a_ca().certificate).has_value());
}

TEST_CASE("a server that cannot start says why") {
  const ServingCertificate none(kName);
  const Log log([](const std::string&) {});
  Server first({.port = 0, .client_ca_pem = {}, .workers = 16, .limits = {}}, none, log);
  const int port = first.start().value();
  Server second({.port = port, .client_ca_pem = {}, .workers = 16, .limits = {}}, none, log);
  CHECK(second.start().error() ==
        "cannot listen on port " + std::to_string(port) + "; is another program using it?");
  Server third({.port = 0, .client_ca_pem = "no PEM", .workers = 16, .limits = {}}, none, log);
  CHECK(third.start().error() ==
        "TLS cannot be set up: the client CA holds no certificate in PEM form");
}

}  // namespace
}  // namespace pgc::webhook
