// What the HTTP client tells beside its answers: each exchange, and warnings.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/shared/kube/http_support.h"

namespace pgc::kube {
namespace {

using namespace std::chrono_literals;
using namespace http_support;
using test::Peer;
using test::SocketServer;
using Clock = std::chrono::steady_clock;

using Texts = std::vector<std::string>;

TEST_CASE("each exchange is told to who counts them", "[kube]") {
  std::vector<std::string> calls;
  const ClientOptions options{.user_agent = {}, .observe_call = [&](const ApiCall& call) {
                                CHECK(call.time.count() >= 0);
                                calls.push_back(std::string(call.verb) + " " + call.resource + " " +
                                                std::to_string(call.code));
                              }};
  {
    SocketServer server(busy(1, 429, "Retry-After: 0\r\n"));
    const auto client = client_of(server, 10s, options);
    CHECK(read(*client));
    CHECK(client->patch({kStatefulSets, "ns", "a"}, PatchType::kApply, Json::object(),
                        {.subresource = "status"}));
    CHECK_FALSE(watch(*client).result);  // a Pod is no watch
  }
  SocketServer away([](Peer& peer) { peer.reset(); });
  CHECK_FALSE(client_of(away, 10s, options)->remove(kRef, {}));
  CHECK(calls == Texts{"get pods 429", "get pods 200", "apply statefulsets.apps/status 200",
                       "watch pods 200", "delete pods 0"});
}

TEST_CASE("a warning beside an answer is passed on", "[kube]") {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.answer(200, kPod, "Warning: 299 - \"old\"\r\nWarning: 299 - \"very old\"\r\n");
  });
  Texts warnings;
  CHECK(read(*client_of(server, 10s, {.user_agent = {}, .warn = [&](const std::string& text) {
                                        warnings.push_back(text);
                                      }})));
  CHECK(warnings == Texts{"old", "very old"});
}

}  // namespace
}  // namespace pgc::kube
