// The server over a real socket, asked by a client that can also misbehave.
#include "webhook/server.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/unit/webhook/review_support.h"
#include "tests/unit/webhook/server_support.h"
#include "webhook/health.h"

namespace pgc::webhook::testing {
namespace {

using std::chrono::steady_clock;

const Limits kHasty{milliseconds(300), milliseconds(600), milliseconds(300), milliseconds(100)};

TEST_CASE("a review is answered, and the connection serves the next one", "[webhook]") {
  Running running;
  Connection connection(running.port);
  for (int i = 0; i < 3; ++i) {
    const auto answer = connection.ask(with_length(a_good_review()));
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(answer->head.find("Content-Type: application/json") != std::string::npos);
    CHECK(Json::parse(answer->body).at("response").at("allowed") == true);
  }
}

TEST_CASE("requests that come at once are answered in their order", "[webhook]") {
  Running running;
  Connection connection(running.port);
  std::string together;
  for (int i = 0; i < 5; ++i) together += with_length(a_good_review());
  REQUIRE(connection.send(together));
  for (int i = 0; i < 5; ++i) CHECK(connection.answer().value().status == 200);
}

TEST_CASE("the API server's own way of asking is understood", "[webhook]") {
  Running running;
  Connection connection(running.port);
  const std::string body = a_good_review();
  const std::string head = "POST " + kPath +
                           "?timeout=5s HTTP/1.1\r\nHost: pgc-webhook.pgc-system.svc:443\r\n"
                           "User-Agent: kube-apiserver-admission\r\nContent-Length: " +
                           std::to_string(body.size()) +
                           "\r\nAccept: application/json, */*\r\nContent-Type: application/json; "
                           "charset=utf-8\r\nAccept-Encoding: gzip\r\n\r\n";
  CHECK(connection.ask(head + body).value().status == 200);
}

TEST_CASE("what is no review is refused by status, and its connection ends", "[webhook]") {
  Running running;
  const std::string chunked = "5\r\nPOST \r\n0\r\n\r\n";
  const std::string get = " HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::pair<std::string, int> cases[] = {
      {"GET /nothing" + get, 404},
      {"GET " + kPath + get, 405},
      {with_length("{}", "/validate"), 404},
      {with_length("{}"), 400},
      {with_length(""), 400},
      {with_length("{\"kind\":"), 400},
      {post("", ""), 411},
      {post("Transfer-Encoding: chunked\r\n", chunked), 411},
      {post("Transfer-Encoding: identity\r\nContent-Length: 0\r\n", chunked), 411},
      {post("Content-Length: 7340033\r\n", ""), 413},
      {post("Content-Length: 99999999999999999999999\r\n", ""), 413},
      {post("Content-Length: -1\r\n", ""), 400},
      {post("Content-Length: 1\r\nContent-Length: 1\r\n", "x"), 400},
      {post("Content-Length: 2\r\nRange: bytes=0-1\r\n", "{}"), 400},
      {post("Content-Length: 2\r\nContent-Encoding: gzip\r\n", "{}"), 415},
      {"POST " + kPath +
           " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\n{}",
       415},
      {"POST " + kPath + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 415},
  };
  for (const auto& [request, status] : cases) {
    INFO(request.substr(0, 120));
    Connection connection(running.port);
    const auto answer = connection.ask(request);
    REQUIRE(answer);
    CHECK(answer->status == status);
    CHECK(answer->ends_connection());
    CHECK(connection.closed());
  }
}

TEST_CASE("nothing behind a body that was left unread is taken for a request", "[webhook]") {
  Running running;
  const std::string requests[] = {post("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
                                  post("Content-Length: 7340033\r\n", ""),
                                  post("Content-Length: x\r\n", ""), "nonsense\r\n\r\n"};
  for (const std::string& request : requests) {
    INFO(request);
    Connection connection(running.port);
    REQUIRE(connection.send(request + with_length(a_good_review())));
    const std::string all = connection.receive("no such text");
    CHECK(all.starts_with("HTTP/1.1 4"));
    CHECK(all.find("HTTP/1.1", 1) == std::string::npos);
    CHECK(all.find("allowed") == std::string::npos);
  }
}

TEST_CASE("a refusal reaches a peer that goes on sending", "[webhook]") {
  Running running;
  Connection connection(running.port);
  REQUIRE(connection.send(post("Content-Length: 9000000\r\n", std::string(200'000, ' '))));
  CHECK(connection.answer().value().status == 413);
}

TEST_CASE("whoever could say who he is gets an answer with his name", "[webhook]") {
  Running running;
  const std::string uid = kUid;
  const std::string begin =
      "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"
      "v1\",\"request\":{\"uid\":\"" +
      uid + "\",";
  const std::string deep =
      begin + "\"object\":" + std::string(200, '[') + std::string(200, ']') + "}}";
  for (const std::string& body :
       {begin + "\"object\":", begin + "}", begin + "\"object\":1}}", deep}) {
    INFO(body);
    Connection connection(running.port);
    const auto answer = connection.ask(with_length(body));
    REQUIRE(answer);
    CHECK(answer->status == 200);
    const Json response = Json::parse(answer->body).at("response");
    CHECK(response.at("uid") == uid);
    CHECK(response.at("allowed") == false);
    CHECK(response.at("status").at("code") == 400);
  }
}

TEST_CASE("with a client CA, only its certificates are answered", "[webhook]") {
  const x509::Pair client_ca = a_ca();
  Running running({.client_ca_pem = client_ca.certificate, .workers = 16});
  const x509::Pair right = a_leaf(client_ca, x509::Usage::kClient);
  const x509::Pair foreign = a_leaf(a_ca(), x509::Usage::kClient);
  const x509::Pair not_for_clients = a_leaf(client_ca, x509::Usage::kServer);
  const x509::Pair expired = a_leaf(client_ca, x509::Usage::kClient, std::chrono::hours(-1));
  const auto is_answered = [&](const x509::Pair* client, int newest_tls) {
    Connection connection(running.port, {.certificate = client, .newest_tls = newest_tls});
    return connection.ask(with_length(a_good_review())).has_value();
  };
  for (const int tls : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    CHECK(is_answered(&right, tls));
    CHECK_FALSE(is_answered(nullptr, tls));
    CHECK_FALSE(is_answered(&foreign, tls));
    CHECK_FALSE(is_answered(&not_for_clients, tls));
    CHECK_FALSE(is_answered(&expired, tls));
  }
}

TEST_CASE("TLS 1.2 and newer, HTTP/1.1 and nothing else", "[webhook]") {
  Running running;
  CHECK_FALSE(Connection(running.port, {.newest_tls = TLS1_VERSION}).is_open());
  CHECK_FALSE(Connection(running.port, {.newest_tls = TLS1_1_VERSION}).is_open());
  CHECK(Connection(running.port, {.newest_tls = TLS1_2_VERSION}).version() == "TLSv1.2");
  CHECK(Connection(running.port).version() == "TLSv1.3");
  Connection two(running.port, {.alpn = "\x02h2\x08http/1.1"});
  CHECK(two.protocol() != "h2");
  CHECK(two.ask(with_length(a_good_review())).value().status == 200);
}

TEST_CASE("a peer that drips is cut off, whatever it drips", "[webhook]") {
  Running running({.workers = 16, .limits = kHasty});
  const auto time_until_closed = [](const auto& drip) {
    const auto begin = steady_clock::now();
    for (int i = 0; i < 40 && drip(); ++i) std::this_thread::sleep_for(milliseconds(100));
    return steady_clock::now() - begin;
  };
  SECTION("a handshake") {
    const Socket socket(running.port);
    CHECK(time_until_closed([&] { return socket.send("\x16"); }) < std::chrono::seconds(3));
  }
  SECTION("headers") {
    Connection connection(running.port);
    CHECK(time_until_closed([&] { return connection.send("P"); }) < std::chrono::seconds(3));
  }
  SECTION("headers of a later request") {
    Connection connection(running.port);
    REQUIRE(connection.ask(with_length(a_good_review())));
    CHECK(time_until_closed([&] { return connection.send("P"); }) < std::chrono::seconds(3));
  }
  SECTION("a body") {
    Connection connection(running.port);
    REQUIRE(connection.send(post("Content-Length: 1000\r\n", "{")));
    CHECK(time_until_closed([&] { return connection.send(" "); }) < std::chrono::seconds(3));
  }
  SECTION("nothing at all") {
    Connection connection(running.port);
    CHECK(connection.closed());
  }
}

TEST_CASE("what is asked is counted", "[webhook]") {
  Running running;
  REQUIRE(Connection(running.port).ask(with_length(a_good_review())));
  REQUIRE(Connection(running.port)
              .ask(with_length(
                  a_review("CREATE", cluster({{"version", "16"},
                                              {"postgresql", {{"parameters", {{"port", 1}}}}}}))
                      .dump())));
  REQUIRE(Connection(running.port).ask("GET /../../made?up HTTP/1.1\r\n\r\n"));
  Socket(running.port).send("GET / HTTP/1.1\r\n\r\n");
  Connection(running.port).send("\r\n\r\n");
  running.stop();
  const std::string text = running.registry().text();
  const auto has = [&](const std::string& line) {
    INFO(line << " in\n" << text);
    CHECK(text.find("\n" + line + "\n") != std::string::npos);
  };
  const std::string webhook = "webhook=\"" + kPath + "\"";
  has("controller_runtime_webhook_requests_total{code=\"200\"," + webhook + "} 2");
  has("controller_runtime_webhook_requests_total{code=\"500\"," + webhook + "} 0");
  has("controller_runtime_webhook_requests_total{code=\"404\",webhook=\"none\"} 1");
  has("controller_runtime_webhook_requests_in_flight{" + webhook + "} 0");
  has("controller_runtime_webhook_latency_seconds_count{" + webhook + "} 2");
  has("controller_runtime_webhook_panics_total 0");
  has("pgc_webhook_reviews_total{verdict=\"allowed\"," + webhook + "} 1");
  has("pgc_webhook_reviews_total{verdict=\"refused\"," + webhook + "} 1");
  has("pgc_webhook_connections_ended_total{reason=\"handshake_failed\"} 1");
  has("pgc_webhook_connections_ended_total{reason=\"not_understood\"} 1");
}

TEST_CASE("no line of the log holds a value of an object", "[webhook]") {
  Running running;
  const std::string secret = "hunter2-5f3a9c";
  Json bad = cluster({{"version", secret},
                      {"replicas", secret},
                      {"postgresql", {{"parameters", {{"port", secret}, {"work_mem", secret}}}}}});
  bad["metadata"]["annotations"]["note"] = secret;
  for (const std::string& path : {kPath, kMutatePath}) {
    for (const Json& review :
         {a_review("CREATE", bad), a_review("UPDATE", bad, cluster({{"version", "16"}})),
          a_review("UPDATE", cluster({{"version", "16"}}), bad), a_review("X", bad)}) {
      REQUIRE(Connection(running.port).ask(with_length(review.dump(), path)));
    }
    REQUIRE(
        Connection(running.port).ask(with_length("{\"" + secret + "\":\"" + secret + "\"}", path)));
    REQUIRE(Connection(running.port).ask(with_length(secret, path)));
  }
  running.stop();
  const auto lines = running.log_lines();
  CHECK(lines.size() >= 12);
  for (const std::string& line : lines) {
    CHECK(Json::accept(line));
    CHECK(line.find(secret) == std::string::npos);
  }
  CHECK(running.registry().text().find(secret) == std::string::npos);
}

TEST_CASE("readiness asks the server itself, as the API server would", "[webhook]") {
  Running running;
  CHECK(dial("127.0.0.1", running.port, kName, running.ca.certificate).has_value());
  CHECK(dial("127.0.0.1", running.port, "a.example", running.ca.certificate)
            .error()
            .ends_with("hostname mismatch"));
  CHECK_FALSE(dial("127.0.0.1", running.port, kName, a_ca().certificate).has_value());
  running.stop();
  CHECK_FALSE(dial("127.0.0.1", running.port, kName, running.ca.certificate).has_value());
}

TEST_CASE("before the first certificate nothing is served", "[webhook]") {
  const ServingCertificate none(kName);
  const Log log([](const std::string&) {});
  metrics::Registry registry;
  Server server({.port = 0, .workers = 16}, none, log, registry);
  const int port = server.start().value();
  CHECK_FALSE(dial("127.0.0.1", port, kName, a_ca().certificate).has_value());
}

TEST_CASE("a server that cannot start says why", "[webhook]") {
  const ServingCertificate none(kName);
  const Log log([](const std::string&) {});
  metrics::Registry registry;
  Server first({.port = 0, .workers = 16}, none, log, registry);
  const int port = first.start().value();
  Server second({.port = port, .workers = 16}, none, log, registry);
  CHECK(second.start().error() ==
        "cannot listen on port " + std::to_string(port) + "; is another program using it?");
  Server third({.port = 0, .client_ca_pem = "no PEM", .workers = 16}, none, log, registry);
  CHECK(third.start().error() ==
        "TLS cannot be set up: the client CA holds no certificate in PEM form");
}

}  // namespace
}  // namespace pgc::webhook::testing
