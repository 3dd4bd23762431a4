#include "tests/unit/shared/kube/http_support.h"

#include <atomic>
#include <nlohmann/json.hpp>

namespace pgc::kube::http_support {

using test::Peer;
using test::SocketServer;

std::unique_ptr<Client> client_of(const Config& config, std::chrono::milliseconds timeout,
                                  ClientOptions options) {
  options.user_agent = "pgc-tests";
  options.timeout = timeout * test::kSlowness;
  auto client = make_http_client(config, options);
  INFO((client ? "" : client.error().message));
  REQUIRE(client);
  return *std::move(client);
}

std::unique_ptr<Client> client_of(const SocketServer& server, std::chrono::milliseconds timeout,
                                  ClientOptions options) {
  return client_of({.server = server.url()}, timeout, std::move(options));
}

Result<Object> read(Client& client) {
  return client.get(kRef);
}

Result<Object> write(Client& client) {
  return client.patch(kRef, PatchType::kMerge, Json::object(), {});
}

Watched watch(Client& client, const std::string& from, std::stop_token stop) {
  Watched watched;
  watched.result = client.watch(
      kPods, {}, from,
      [&](const WatchEvent& event) {
        watched.versions.emplace_back(event.object.resource_version());
      },
      std::move(stop));
  return watched;
}

void answer_forever(Peer& peer) {
  while (!peer.read_request().empty()) peer.answer(200, kPod);
}

SocketServer::Script busy(int first, int code, std::string headers) {
  auto left = std::make_shared<std::atomic<int>>(first);
  return [left, code, headers = std::move(headers)](Peer& peer) {
    while (!peer.read_request().empty()) {
      const bool refuse = left->fetch_sub(1) > 0;
      peer.answer(refuse ? code : 200, refuse ? "{}" : kPod, refuse ? headers : "");
    }
  };
}

}  // namespace pgc::kube::http_support
