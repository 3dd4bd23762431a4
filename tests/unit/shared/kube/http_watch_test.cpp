// Watches over HTTP, whole and cut.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
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

using Texts = std::vector<std::string>;

const std::string kStream =
    R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}})"
    "\n"
    R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}})"
    "\n"
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2"}}})"
    "\n"
    R"({"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"3"}}})"
    "\n";

std::string chunked(std::string_view bytes) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

const std::string kWatchHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST_CASE("of a watch that is cut at any byte all whole events arrive, and no other", "[kube]") {
  std::atomic<std::size_t> cut = 0;
  SocketServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kWatchHead);
    if (cut > 0) peer.write(chunked(std::string_view(kStream).substr(0, cut)));
    if (cut % 2 == 0) peer.reset();
  });
  const auto client = client_of(server);
  const Texts all{"1", "1", "2", "3"};
  for (cut = 0; cut <= kStream.size(); ++cut) {
    CAPTURE(cut.load());
    const Watched watched = watch(*client);
    const auto whole = std::count(kStream.begin(),
                                  kStream.begin() + static_cast<std::ptrdiff_t>(cut.load()), '\n');
    if (watched.result) {
      // A reset may overtake what was sent before it.
      CHECK(watched.versions.size() <= static_cast<std::size_t>(whole));
      if (cut % 2 != 0) CHECK(watched.versions.size() == static_cast<std::size_t>(whole));
    } else {
      CHECK(watched.result.error().is(ErrorKind::kUnreachable));
      CHECK(watched.versions.empty());
    }
    CHECK(std::equal(watched.versions.begin(), watched.versions.end(), all.begin()));
  }
}

TEST_CASE("events of a watch that come within a moment are taken together", "[kube]") {
  constexpr auto kStep = 20ms;
  constexpr int kEvents = 10;
  SocketServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kWatchHead);
    for (int i = 0; i < kEvents; ++i) {
      peer.write(chunked(std::string_view(kStream).substr(0, kStream.find('\n') + 1)));
      std::this_thread::sleep_for(kStep);
    }
  });
  std::vector<Clock::time_point> taken;
  const auto client = client_of(server);
  CHECK(
      client->watch(kPods, {}, "0", [&](const WatchEvent&) { taken.push_back(Clock::now()); }, {}));
  REQUIRE(taken.size() == kEvents);
  int together = 0;
  for (std::size_t i = 1; i < kEvents; ++i) together += taken[i] - taken[i - 1] < kStep / 2 ? 1 : 0;
  CHECK(together >= kEvents / 3);
}

TEST_CASE("a watch tells an error of the server, at its beginning or later", "[kube]") {
  const std::string gone = R"({"kind":"Status","code":410,"reason":"Expired","message":"old"})";
  SocketServer at_once([&](Peer& peer) { peer.read_request(), peer.answer(410, gone); });
  CHECK(error_of(watch(*client_of(at_once)).result).is(ErrorKind::kGone));
  SocketServer later([&](Peer& peer) {
    peer.read_request();
    peer.write(kWatchHead + chunked(kStream) +
               chunked(R"({"type":"ERROR","object":)" + gone + "}\n"));
    peer.wait_for_end();
  });
  const Watched watched = watch(*client_of(later));
  CHECK(watched.versions.size() == 4);
  CHECK(error_of(watched.result).is(ErrorKind::kGone));
}

TEST_CASE("a page of HTML is no watch", "[kube]") {
  for (const char* page : {"<html>\n</html>\n", "<html></html>"}) {
    SocketServer server([page](Peer& peer) {
      peer.read_request();
      peer.answer(200, page);
    });
    CHECK(error_of(watch(*client_of(server)).result).is(ErrorKind::kMalformed));
  }
}

TEST_CASE("a watch that nobody answers ends in time, and one that is stopped at once", "[kube]") {
  struct Case {
    const char* name;
    bool tls;
    SocketServer::Script script;
  };
  for (const Case& c : {
           Case{"no handshake", true, [](Peer& peer) { peer.wait_for_end(); }},
           Case{"no answer", false, [](Peer& peer) { peer.read_request(), peer.wait_for_end(); }},
       }) {
    CAPTURE(c.name);
    SocketServer server(c.script);
    const Config config{.server = (c.tls ? "https" : "http") + std::string("://127.0.0.1:") +
                                  std::to_string(server.port())};
    CHECK_FALSE(watch(*client_of(config, 200ms)).result);

    const auto client = client_of(config, 20s);
    std::stop_source stop;
    const std::jthread soon([&stop] {
      std::this_thread::sleep_for(100ms);
      stop.request_stop();
    });
    const auto begun = Clock::now();
    CHECK(watch(*client, "0", stop.get_token()).result);
    CHECK(Clock::now() - begun < 5s);
  }
}

}  // namespace
}  // namespace pgc::kube
