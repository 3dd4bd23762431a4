#include "shared/health/health_server.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "shared/metrics/metrics.h"

namespace pgc {
namespace {

struct Answer {
  int status = 0;
  std::string head;
  std::string body;
};

sockaddr_in address_of(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

// One request on a connection of its own.
Answer ask(const std::string& host, int port, const std::string& request) {
  const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = address_of(host, port);
  REQUIRE(::connect(peer, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const std::string text = request + "\r\nHost: x\r\nConnection: close\r\n\r\n";
  REQUIRE(::send(peer, text.data(), text.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(text.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t size = 0; (size = ::recv(peer, buffer, sizeof buffer, 0)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(size));
  }
  ::close(peer);
  const auto end = answer.find("\r\n\r\n");
  REQUIRE(end != std::string::npos);
  REQUIRE(answer.starts_with("HTTP/1.1 "));
  return {std::stoi(answer.substr(9, 3)), answer.substr(0, end), answer.substr(end + 4)};
}

// A server whose pages say what a test wants.
struct Pages {
  std::expected<void, std::string> ready{};
  HealthServer server{{.ready = [this] { return ready; },
                       .metrics = [] { return std::string("pgc_x 1\n"); },
                       .explain = [](const std::string& ns, const std::string& name)
                           -> std::expected<std::string, std::string> {
                         if (name == "absent") return std::unexpected("no such cluster");
                         return "{\"key\":\"" + ns + "/" + name + "\"}";
                       }}};
  int port = server.start(0).value();

  Answer get(const std::string& path, const std::string& host = "127.0.0.1") const {
    return ask(host, port, "GET " + path + " HTTP/1.1");
  }
};

// An address of this machine that is not its loopback; empty where it has none.
std::string address_from_outside() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "";
  std::string found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
    if (!std::string_view(text).starts_with("127.")) found = text;
  }
  freeifaddrs(all);
  return found;
}

TEST_CASE("the health port answers probes and Prometheus") {
  Pages pages;
  CHECK(pages.get("/healthz").status == 200);
  CHECK(pages.get("/healthz").body == "ok\n");
  CHECK(pages.get("/readyz").status == 200);
  const auto metrics = pages.get("/metrics");
  CHECK(metrics.status == 200);
  CHECK(metrics.body == "pgc_x 1\n");
  CHECK(metrics.head.find(std::string("Content-Type: ") + metrics::kTextType) != std::string::npos);
}

TEST_CASE("the health port says why the program is not ready, and that it lives") {
  Pages pages;
  pages.ready = std::unexpected("not everything has been seen yet");
  CHECK(pages.get("/readyz").status == 503);
  CHECK(pages.get("/readyz").body == "not ready: not everything has been seen yet\n");
  CHECK(pages.get("/healthz").status == 200);
}

TEST_CASE("what is believed of a cluster is told to this machine alone") {
  Pages pages;
  const auto found = pages.get("/debug/clusters/shop/my-db");
  CHECK(found.status == 200);
  CHECK(found.body == "{\"key\":\"shop/my-db\"}");
  CHECK(found.head.find("Content-Type: application/json") != std::string::npos);
  const auto absent = pages.get("/debug/clusters/shop/absent");
  CHECK(absent.status == 404);
  CHECK(absent.body == "no such cluster\n");
  const std::string outside = address_from_outside();
  if (outside.empty()) SKIP("this machine has no address but its loopback");
  const auto refused = pages.get("/debug/clusters/shop/my-db", outside);
  CHECK(refused.status == 403);
  CHECK(refused.body == "for connections from the pod itself: kubectl port-forward\n");
  CHECK(pages.get("/healthz", outside).status == 200);
}

TEST_CASE("the health port has no other pages, and takes nothing in") {
  Pages pages;
  for (const char* path : {"/", "/debug", "/debug/clusters", "/debug/clusters/shop",
                           "/debug/clusters/shop/my-db/more", "/healthz/x", "/../metrics"}) {
    CAPTURE(path);
    CHECK(pages.get(path).status == 404);
  }
  CHECK(ask("127.0.0.1", pages.port, "POST /healthz HTTP/1.1").status >= 400);
}

TEST_CASE("a program that believes nothing of clusters has no page for it") {
  HealthServer server({.ready = {}, .metrics = {}, .explain = {}});
  const int port = server.start(0).value();
  CHECK(ask("127.0.0.1", port, "GET /debug/clusters/shop/my-db HTTP/1.1").status == 404);
}

TEST_CASE("a health port that is taken is told") {
  Pages pages;
  HealthServer second({});
  const auto started = second.start(pages.port);
  REQUIRE_FALSE(started);
  CHECK(started.error() == "cannot listen on health port " + std::to_string(pages.port) +
                               "; is another program using it?");
}

}  // namespace
}  // namespace pgc
