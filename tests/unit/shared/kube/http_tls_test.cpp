// The HTTP client over TLS and through proxies, to servers on sockets of this machine.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "shared/kube/client.h"
#include "shared/kube/config.h"
#include "tests/support/socket_server.h"
#include "tests/unit/shared/kube/http_support.h"

namespace pgc::kube {
namespace {

using namespace std::chrono_literals;
using namespace http_support;
using test::Peer;
using test::SocketServer;

Result<Object> read(const Config& config) {
  auto client = make_http_client(config, {.user_agent = "pgc-tests", .timeout = 10s});
  if (!client) return std::unexpected(client.error());
  return (*client)->get({kPods, "ns", "a"});
}

std::string words(const Result<Object>& result) {
  if (result) return "fine";
  return (result.error().is(ErrorKind::kUnreachable) ? "" : "other: ") + result.error().message;
}

struct Tls {
  x509::Pair ca = test::a_test_ca();
  x509::Pair certificate = test::a_test_certificate(ca, {"kubernetes", "*.example.com"});
  SocketServer server{answer_forever, test::ServerTls{certificate}};

  Config config() const { return {.server = server.url(), .ca_pem = ca.certificate}; }
};

TEST_CASE("a server is trusted by its CA and its name alone, and the words say which it was",
          "[kube]") {
  Tls tls;
  const std::string problem = "tls: failed to verify certificate: x509: certificate ";
  CHECK(words(read(tls.config())) == "fine");

  Config config = tls.config();
  config.ca_pem = test::a_test_ca("another CA").certificate;
  CHECK(words(read(config)) == problem + "signed by unknown authority");
  config.ca_pem.clear();
  CHECK(words(read(config)) == problem + "signed by unknown authority");
  config.insecure_skip_tls_verify = true;
  CHECK(words(read(config)) == "fine");

  config = tls.config();
  config.tls_server_name = "somebody-else";
  CHECK(words(read(config)) ==
        problem + "is valid for kubernetes, *.example.com, 127.0.0.1, not somebody-else");
  CHECK(tls.server.requests().size() == 2);  // nothing was sent to who was not trusted
}

TEST_CASE("a server whose certificate has expired, or is not valid yet, is not trusted", "[kube]") {
  const x509::Pair ca = test::a_test_ca();
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  for (const auto begin : {now - 2h, now + 1h}) {
    const auto certificate = x509::issue_leaf(ca,
                                              {.common_name = "test",
                                               .dns_names = {},
                                               .ip_addresses = {"127.0.0.1"},
                                               .validity = {begin, begin + 1h},
                                               .usage = x509::Usage::kServerAndClient},
                                              x509::random_serial());
    REQUIRE(certificate);
    SocketServer server(answer_forever, test::ServerTls{*certificate});
    CHECK(words(read({.server = server.url(), .ca_pem = ca.certificate})) ==
          "tls: failed to verify certificate: x509: certificate has expired or is not yet valid");
    CHECK(server.requests().empty());
  }
}

TEST_CASE("a server may have another name for TLS than its host, a name or an address", "[kube]") {
  Tls tls;
  Config config = tls.config();
  for (const char* host : {"127.0.0.1", "localhost"}) {
    for (const char* name : {"kubernetes", "api.example.com", "127.0.0.1"}) {
      CAPTURE(host, name);
      config.server = std::string("https://") + host + ":" + std::to_string(tls.server.port());
      config.tls_server_name = name;
      CHECK(words(read(config)) == "fine");
      const bool is_name = std::string(name) != "127.0.0.1";
      CHECK(tls.server.server_names().back() == (is_name ? name : ""));
    }
  }
  config.tls_server_name.clear();
  CHECK(words(read(config)).ends_with(", not localhost"));
}

TEST_CASE("a client certificate is shown with its whole chain", "[kube]") {
  const x509::Pair server_ca = test::a_test_ca();
  const x509::Pair client_ca = test::a_test_ca("client CA");
  const x509::Pair client = test::a_test_certificate(client_ca);
  SocketServer server(answer_forever,
                      test::ServerTls{test::a_test_certificate(server_ca), client_ca.certificate});
  Config config{.server = server.url(),
                .ca_pem = server_ca.certificate,
                .client_certificate_pem = client.certificate,
                .client_key_pem = client.key};
  CHECK(words(read(config)) == "fine");
  config.client_certificate_pem += client_ca.certificate;
  CHECK(words(read(config)) == "fine");
  CHECK(server.client_certificates() == std::vector<int>{1, 2});
}

TEST_CASE("certificates that can't be used are told before anything is sent", "[kube]") {
  Tls tls;
  Config config = tls.config();
  config.ca_pem = "-----BEGIN NONSENSE-----";
  CHECK(words(read(config)) ==
        "other: unable to load root certificates: there is no certificate in the "
        "certificate-authority");
  config = tls.config();
  config.client_certificate_pem = tls.certificate.certificate;
  for (const std::string& key : {test::a_test_certificate(tls.ca).key, std::string("secret")}) {
    config.client_key_pem = key;
    const auto refused = read(config);
    CHECK(words(refused) == "other: the client certificate and its key cannot be used together");
  }
  CHECK(tls.server.connections() == 0);
}

TEST_CASE("a server without TLS is told as such, and one that does not exist by its name",
          "[kube]") {
  SocketServer plain([](Peer& peer) {
    peer.answer(400, "Client sent an HTTP request to an HTTPS server");
    peer.wait_for_end();
  });
  CHECK(words(read({.server = "https://127.0.0.1:" + std::to_string(plain.port())})) ==
        "http: server gave HTTP response to HTTPS client");
  CHECK(words(read({.server = "https://nowhere.invalid:6443"}))
            .starts_with("dial tcp: lookup nowhere.invalid: "));
  const auto refused = read({.server = "https://127.0.0.1:1"});
  CHECK(words(refused) == "dial tcp 127.0.0.1:1: connect: connection refused");
  CHECK(refused.error().reason == kConnectionRefused);
}

TEST_CASE("a token that holds the end of a line never becomes another header", "[kube]") {
  Tls tls;
  Config config = tls.config();
  for (const std::string& token :
       {std::string("a\r\nImpersonate-User: admin"), std::string("a\n"), std::string("a\0b", 3)}) {
    config.token = token;
    CHECK(words(read(config)) ==
          "other: net/http: invalid header field value for \"Authorization\"");
  }
  CHECK(tls.server.requests().empty());
}

// --- Proxies ---

SocketServer::Script relaying(int port) {
  return [port](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\n\r\n");
    peer.relay_to(port);
  };
}

TEST_CASE("TLS goes through a proxy by CONNECT, and the proxy's password no further", "[kube]") {
  Tls tls;
  SocketServer proxy(relaying(tls.server.port()));
  Config config = tls.config();
  config.token = "token-of-ours";
  config.proxy_url = "http://me:pass@127.0.0.1:" + std::to_string(proxy.port());
  CHECK(words(read(config)) == "fine");
  // To the host, also where it has another name for TLS.
  config.tls_server_name = "kubernetes";
  CHECK(words(read(config)) == "fine");
  REQUIRE(proxy.requests().size() == 2);
  for (const std::string& request : proxy.requests()) {
    CHECK(request.starts_with("CONNECT 127.0.0.1:" + std::to_string(tls.server.port()) + " "));
    CHECK(request.find("Proxy-Authorization: Basic bWU6cGFzcw==\r\n") != std::string::npos);
    CHECK(request.find("token-of-ours") == std::string::npos);
  }
  REQUIRE(tls.server.requests().size() == 2);
  for (const std::string& request : tls.server.requests()) {
    CHECK(request.find("Proxy-Authorization") == std::string::npos);
    CHECK(request.find("Bearer token-of-ours") != std::string::npos);
  }
}

TEST_CASE("a server behind a proxy is checked like any other", "[kube]") {
  Tls tls;
  SocketServer proxy(relaying(tls.server.port()));
  Config config = tls.config();
  config.proxy_url = "http://127.0.0.1:" + std::to_string(proxy.port());
  config.ca_pem = test::a_test_ca("another CA").certificate;
  CHECK(words(read(config)).ends_with("x509: certificate signed by unknown authority"));
}

TEST_CASE("a proxy that refuses, hangs up or is not there is told from the server", "[kube]") {
  Tls tls;
  Config config = tls.config();
  const auto through = [&](const SocketServer& proxy) {
    config.proxy_url = "http://127.0.0.1:" + std::to_string(proxy.port());
    return words(read(config));
  };
  SocketServer refusing([](Peer& peer) {
    peer.read_request();
    peer.answer(407, "who are you?");
  });
  const std::string place = "127.0.0.1:" + std::to_string(refusing.port());
  CHECK(through(refusing) == "proxy " + place + " answered 407 to CONNECT 127.0.0.1:" +
                                 std::to_string(tls.server.port()) +
                                 ": it wants a user and a password");
  SocketServer rude([](Peer& peer) { peer.close(); });
  CHECK(through(rude) == "proxy 127.0.0.1:" + std::to_string(rude.port()) + " hung up");
  config.proxy_url = "http://127.0.0.1:1";
  CHECK(words(read(config)) ==
        "proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused");
  CHECK(tls.server.connections() == 0);
}

TEST_CASE("a server without TLS is asked through the proxy itself", "[kube]") {
  SocketServer proxy(answer_forever);
  const Config config{.server = "http://api.invalid:8080",
                      .proxy_url = "http://me:pass@127.0.0.1:" + std::to_string(proxy.port())};
  CHECK(words(read(config)) == "fine");
  REQUIRE(proxy.requests().size() == 1);
  CHECK(
      proxy.requests()[0].starts_with("GET http://api.invalid:8080/api/v1/namespaces/ns/pods/a "));
  CHECK(proxy.requests()[0].find("Proxy-Authorization: Basic bWU6cGFzcw==") != std::string::npos);
}

}  // namespace
}  // namespace pgc::kube
