// Lists and tables over HTTP: chunk by chunk.
#include <atomic>
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

std::string page_of(const std::string& name, const std::string& next) {
  return R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":")" + next +
         R"("},"items":[{"metadata":{"name":")" + name + R"("}}]})";
}

std::vector<std::string> names_of(const Result<ObjectList>& list) {
  INFO((list ? "" : list.error().message));
  REQUIRE(list);
  std::vector<std::string> names;
  for (const Object& item : list->items) names.emplace_back(item.name());
  return names;
}

using Texts = std::vector<std::string>;

TEST_CASE("a list comes in chunks and is one", "[kube]") {
  SocketServer server([](Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      const bool second = request.find("continue=n%2B") != std::string::npos;
      peer.answer(200, second ? page_of("b", "") : page_of("a", "n+/="));
    }
  });
  const auto list = client_of(server)->list(kPods, {.ns = "ns"});
  CHECK(names_of(list) == Texts{"a", "b"});
  CHECK(list->resource_version == "7");
  CHECK(server.requests().at(0).starts_with("GET /api/v1/namespaces/ns/pods?limit=500 "));
}

TEST_CASE("a list whose place is forgotten between two chunks is read anew, at once", "[kube]") {
  SocketServer server([](Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      if (request.find("continue=") != std::string::npos) {
        peer.answer(410, R"({"kind":"Status","code":410,"reason":"Expired","message":"old"})");
      } else {
        const bool chunked = request.find("limit=") != std::string::npos;
        peer.answer(200, chunked ? page_of("a", "next") : page_of("all", ""));
      }
    }
  });
  CHECK(names_of(client_of(server)->list(kPods, {})) == Texts{"all"});
  CHECK(server.requests().size() == 3);
}

std::string rows_of(const std::string& name, const std::string& next) {
  return R"({"kind":"Table","metadata":{"continue":")" + next +
         R"("},"columnDefinitions":[{"name":"Name"}],"rows":[{"cells":[")" + name + R"("]}]})";
}

TEST_CASE(
    "a table is asked for as one, comes in chunks and is read anew where its place is forgotten",
    "[kube]") {
  SocketServer server([asked = std::make_shared<std::atomic<int>>(0)](Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      const bool on = request.find("continue=") != std::string::npos;
      if (on && ++*asked == 2) {
        peer.answer(410, R"({"kind":"Status","code":410,"reason":"Expired","message":"old"})");
      } else {
        const bool chunked = request.find("limit=") != std::string::npos;
        peer.answer(200, rows_of(on ? "b" : "a", chunked && (!on || *asked < 2) ? "next" : ""));
      }
    }
  });
  const auto table = client_of(server)->table(kPods, {.ns = "ns", .label_selector = "x=y"});
  REQUIRE(table);
  CHECK(table->columns == std::vector<Column>{{"Name", 0}});
  REQUIRE(table->rows.size() == 1);  // and not those of before the 410
  CHECK(table->rows[0].cells == Texts{"a"});
  const auto requests = server.requests();
  REQUIRE(requests.size() == 4);
  CHECK(requests[0].starts_with("GET /api/v1/namespaces/ns/pods?limit=500&labelSelector=x%3Dy "));
  for (const std::string& request : requests) {
    CHECK(request.find("Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n") !=
          std::string::npos);
  }
}

TEST_CASE("one object comes as a table, too, and an object that comes instead is none", "[kube]") {
  SocketServer server([](Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      peer.answer(
          200, request.starts_with("GET /api/v1/namespaces/ns/pods/a ") ? rows_of("a", "") : kPod);
    }
  });
  const auto client = client_of(server);
  const auto table = client->table(kRef);
  REQUIRE(table);
  CHECK(table->rows.at(0).cells == Texts{"a"});
  CHECK(error_of(client->table({kPods, "ns", "b"})).is(ErrorKind::kMalformed));
}

}  // namespace
}  // namespace pgc::kube
