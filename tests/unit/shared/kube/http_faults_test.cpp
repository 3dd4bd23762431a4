// The HTTP client against a server that misbehaves, on a socket of this machine.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/unit/shared/kube/http_support.h"

namespace pgc::kube {
namespace {

using namespace std::chrono_literals;
using namespace http_support;
using test::Peer;
using test::SocketServer;
using Clock = std::chrono::steady_clock;

TEST_CASE("a connection is kept for the next request", "[kube]") {
  SocketServer server(answer_forever);
  const auto client = client_of(server);
  for (int i = 0; i < 3; ++i) CHECK(read(*client));
  CHECK(server.connections() == 1);
}

TEST_CASE("a connection that is lost before the answer is whole leaves a write open, a read not",
          "[kube]") {
  const std::string whole =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kPod.size()) + "\r\n\r\n" + kPod;
  struct Case {
    const char* name;
    SocketServer::Script script;
  };
  const std::vector<Case> cases{
      {"reset before the request is read", [](Peer& peer) { peer.wait_for_bytes(), peer.reset(); }},
      {"closed before the request is read",
       [](Peer& peer) { peer.wait_for_bytes(), peer.close(); }},
      {"reset after it", [](Peer& peer) { peer.read_request(), peer.reset(); }},
      {"closed after it", [](Peer& peer) { peer.read_request(), peer.close(); }},
      {"half a head",
       [&](Peer& peer) { peer.read_request(), peer.write(whole.substr(0, 20)), peer.close(); }},
      {"half a body",
       [&](Peer& peer) {
         peer.read_request(), peer.write(whole.substr(0, whole.size() - 5)), peer.close();
       }},
      {"half a body and a reset",
       [&](Peer& peer) {
         peer.read_request(), peer.write(whole.substr(0, whole.size() - 5)), peer.reset();
       }},
      {"no HTTP", [](Peer& peer) { peer.read_request(), peer.write("garbage\r\n\r\n"); }}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    SocketServer server(c.script);
    const auto client = client_of(server);
    const Error of_read = error_of(read(*client));
    INFO(of_read.message);
    CHECK(of_read.is(ErrorKind::kUnreachable));
    CHECK(of_read.retryable());
    CHECK(server.connections() == 1);
    const Error of_write = error_of(write(*client));
    CHECK(of_write.is(ErrorKind::kTimeout));
    CHECK(of_write.outcome_unknown());
    CHECK(of_write.message.ends_with("it may have been done"));
    CHECK(server.connections() == 2);
  }
}

TEST_CASE("a write that the server has read is never sent again, over TLS either", "[kube]") {
  // The server hangs up while a body comes that is larger than all buffers on the way.
  const x509::Pair ca = test::a_test_ca();
  SocketServer server(
      [](Peer& peer) {
        peer.read_head();
        peer.say_goodbye();
        peer.wait_for_end();
      },
      test::ServerTls{test::a_test_certificate(ca)});
  const auto client = client_of({.server = server.url(), .ca_pem = ca.certificate});
  const Json large = {{"data", std::string(16'000'000, 'x')}};
  CHECK(error_of(client->patch(kRef, PatchType::kMerge, large, {})).outcome_unknown());
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a connection that the server closed while it was idle costs nobody anything", "[kube]") {
  std::atomic<int> closed = 0;
  SocketServer server([&closed](Peer& peer) {
    peer.read_request();
    peer.answer(200, kPod);
    peer.close();
    ++closed;
  });
  const auto client = client_of(server);
  for (int i = 1; i <= 5; ++i) {
    REQUIRE(read(*client));
    while (closed < 2 * i - 1) std::this_thread::sleep_for(1ms);
    REQUIRE(write(*client));
    while (closed < 2 * i) std::this_thread::sleep_for(1ms);
  }
  CHECK(server.requests().size() == 10);
}

TEST_CASE("a read on a used connection that is lost is sent once more, a write is not", "[kube]") {
  // Answers the first request of a connection and hangs up on the second, having read it.
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.answer(200, kPod);
    peer.read_request();
    peer.close();
  });
  const auto client = client_of(server);
  CHECK(read(*client));
  CHECK(read(*client));
  CHECK(server.connections() == 2);
  CHECK(error_of(write(*client)).outcome_unknown());
  CHECK(server.connections() == 2);
  CHECK(server.requests().size() == 4);
}

TEST_CASE("no answer takes longer than the call may, however it comes", "[kube]") {
  struct Case {
    const char* name;
    SocketServer::Script script;
  };
  const std::vector<Case> cases{
      {"nothing", [](Peer& peer) { peer.wait_for_end(); }},
      {"a head byte by byte",
       [](Peer& peer) {
         peer.read_request();
         peer.drip("HTTP/1.1 200 OK\r\nX: " + std::string(10'000, 'x'), 10ms);
       }},
      {"a body byte by byte",
       [](Peer& peer) {
         peer.read_request();
         peer.write("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n");
         peer.drip(std::string(10'000, ' '), 10ms);
       }},
      {"a body without an end, as fast as it is read", [](Peer& peer) {
         peer.read_request();
         peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
         std::string spaces;
         for (int i = 0; i < 1000; ++i) spaces += "1\r\n \r\n";
         while (peer.write(spaces)) {
         }
       }}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    SocketServer server(c.script);
    const auto client = client_of(server, 300ms);
    for (const bool is_read : {true, false}) {
      const auto begun = Clock::now();
      const Error error = error_of(is_read ? read(*client) : write(*client));
      const auto took = Clock::now() - begun;
      CHECK(error.is(ErrorKind::kTimeout));
      CHECK(took >= 290ms);
      CHECK(took < 2s * test::kSlowness);
    }
  }
}

TEST_CASE("no handshake takes longer than the call may", "[kube]") {
  // The beginning of a TLS record of 16 KiB that comes byte by byte.
  for (const bool silent : {true, false}) {
    CAPTURE(silent);
    SocketServer server([silent](Peer& peer) {
      if (silent) return peer.wait_for_end();
      peer.write(std::string("\x16\x03\x03\x40\x00\x02", 6));
      peer.drip(std::string(10'000, '\x00'), 10ms);
    });
    const auto client =
        client_of({.server = "https://127.0.0.1:" + std::to_string(server.port())}, 300ms);
    const auto begun = Clock::now();
    const Error error = error_of(write(*client));
    CHECK(error.is(ErrorKind::kUnreachable));
    CHECK_FALSE(error.outcome_unknown());
    CHECK(error.message.find("handshake") != std::string::npos);
    CHECK(Clock::now() - begun < 2s * test::kSlowness);
  }
}

TEST_CASE("an answer that is none of an API server is told as such", "[kube]") {
  const std::string page = "<!DOCTYPE html>\n<html><body>Log in</body></html>";
  for (const int code : {200, 302, 403, 502}) {
    CAPTURE(code);
    SocketServer server([&](Peer& peer) {
      while (!peer.read_request().empty()) {
        peer.answer(code, page, "Location: https://login.example.com/\r\n");
      }
    });
    const auto client = client_of(server);
    const Error error = error_of(read(*client));
    CHECK(error.code == (code == 200 ? 0 : code));
    CHECK(error.message.find('\n') == std::string::npos);
    CHECK(error_of(client->list(kPods, {})).kind == error.kind);
    CHECK(server.requests().size() == 2);  // no redirect is followed with our credentials
    if (code == 200) CHECK(error.is(ErrorKind::kMalformed));
  }
}

TEST_CASE("a line without an end breaks nothing", "[kube]") {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 " + std::string(1'000'000, 'x') + "\r\n\r\n");
  });
  CHECK_FALSE(read(*client_of(server)));
}

TEST_CASE("a page of HTML is neither an object, nor a list, nor a table", "[kube]") {
  SocketServer server([](Peer& peer) {
    while (!peer.read_request().empty()) {
      peer.answer(200, "<html>\n<body>Welcome</body></html>", "Content-Type: text/html\r\n");
    }
  });
  const auto client = client_of(server);
  const std::string begin = "the server answered ";
  const std::string path = "/api/v1/namespaces/ns/pods";
  CHECK(error_of(read(*client)).message ==
        begin + "GET " + path + "/a with no object of Kubernetes");
  CHECK(error_of(client->list(kPods, {.ns = "ns"})).message == begin + "with no list of pods");
  CHECK(error_of(client->table(kRef)).message == begin + "GET " + path + "/a with no table");
  CHECK(error_of(client->table(kPods, {.ns = "ns"})).is(ErrorKind::kMalformed));
  CHECK(error_of(write(*client)).outcome_unknown());
}

TEST_CASE("nothing stays open, whatever happened", "[kube]") {
  const std::size_t before = test::open_descriptors();
  {
    SocketServer server([](Peer& peer) {
      peer.read_request();
      peer.answer(200, kPod);
      peer.read_request();
      peer.reset();
    });
    SocketServer mute([](Peer& peer) { peer.wait_for_end(); });
    for (int i = 0; i < 10; ++i) {
      const auto client = client_of(server);
      (void)read(*client);
      (void)write(*client);
      (void)watch(*client);
      (void)read(*client_of({.server = "https://127.0.0.1:1"}));
      (void)read(*client_of(mute, 20ms));
    }
  }
  CHECK(test::open_descriptors() == before);
}

}  // namespace
}  // namespace pgc::kube
