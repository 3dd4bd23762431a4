// For how long a call of the HTTP client waits: as the server asks, for its turn, and not beyond
// the end of the program.
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
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

TEST_CASE("what the server put off is asked again when it said, if that is safe", "[kube]") {
  struct Case {
    int refusals;
    int code;
    const char* headers;
    bool read;
    std::size_t requests;
    std::optional<ErrorKind> error;
  };
  for (const Case& c : {
           Case{1, 429, "Retry-After: 0\r\n", true, 2, {}},
           Case{1, 429, "Retry-After: 0\r\n", false, 2, {}},
           Case{1, 503, "Retry-After: 0\r\n", true, 2, {}},
           Case{1, 500, "Retry-After: 0\r\n", true, 2, {}},
           Case{4, 429, "Retry-After: 0\r\n", true, 5, {}},
           Case{5, 429, "Retry-After: 0\r\n", true, 5, ErrorKind::kTooManyRequests},
           Case{1, 503, "Retry-After: 0\r\n", false, 1, ErrorKind::kServiceUnavailable},
           Case{1, 429, "", true, 1, ErrorKind::kTooManyRequests},
           Case{1, 503, "", true, 1, ErrorKind::kServiceUnavailable},
           Case{1, 429, "Retry-After: 60\r\n", true, 1, ErrorKind::kTooManyRequests},
           Case{1, 409, "Retry-After: 0\r\n", true, 1, ErrorKind::kConflict},
       }) {
    CAPTURE(c.refusals, c.code, c.headers, c.read);
    SocketServer server(busy(c.refusals, c.code, c.headers));
    const auto client = client_of(server);
    const auto result = c.read ? read(*client) : write(*client);
    CHECK(result.has_value() == !c.error);
    if (c.error) CHECK(error_of(result).kind == *c.error);
    CHECK(server.requests().size() == c.requests);
  }
}

TEST_CASE("Retry-After is waited for, and told where it is too long", "[kube]") {
  SocketServer server(busy(1, 429, "Retry-After: 1\r\n"));
  const auto client = client_of(server);
  const auto begun = Clock::now();
  CHECK(read(*client));
  CHECK(Clock::now() - begun >= 1s);
  SocketServer later(busy(1, 429, "Retry-After: 60\r\n"));
  CHECK(error_of(read(*client_of(later))).retry_after == 60s);
}

TEST_CASE("no more requests a second than are wanted, but for Leases", "[kube]") {
  SocketServer server(answer_forever);
  const auto client =
      client_of(server, 10s, {.user_agent = {}, .requests_per_second = 50, .burst = 5});
  const auto begun = Clock::now();
  for (int i = 0; i < 20; ++i) CHECK(read(*client));
  const auto took = Clock::now() - begun;
  CHECK(took >= 300ms);  // 15 of them waited for 20 ms
  const auto again = Clock::now();
  for (int i = 0; i < 20; ++i) CHECK(client->get({kLeases, "ns", "a"}));
  CHECK(Clock::now() - again < took);
}

// --- The end of the program ---

// Requests the stop after a while, and tells whether what was waited for has ended soon after.
class Ending {
 public:
  std::stop_token token() { return stop_.get_token(); }
  void begin() {
    begun_ = Clock::now();
    thread_ = std::jthread([this] {
      std::this_thread::sleep_for(200ms);
      stop_.request_stop();
    });
  }
  bool soon() const { return Clock::now() - begun_ < 2s * test::kSlowness; }

 private:
  std::stop_source stop_;
  Clock::time_point begun_;
  std::jthread thread_;
};

TEST_CASE("a call that the server has put off ends with the program, in the server's words",
          "[kube]") {
  SocketServer server([](Peer& peer) {
    while (!peer.read_request().empty()) peer.answer(429, "busy", "Retry-After: 5\r\n");
  });
  Ending ending;
  const auto client = client_of(server, 60s, {.stop = ending.token()});
  ending.begin();
  CHECK(error_of(write(*client)).is(ErrorKind::kTooManyRequests));
  CHECK(ending.soon());
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a call that waits for its turn ends with the program, unsent", "[kube]") {
  SocketServer server(answer_forever);
  Ending ending;
  const auto client =
      client_of(server, 600s, {.requests_per_second = 0.02, .burst = 1, .stop = ending.token()});
  CHECK(read(*client));
  ending.begin();
  const Error error = error_of(write(*client));
  CHECK(error.is(ErrorKind::kUnreachable));
  CHECK(error.message == "PATCH /api/v1/namespaces/ns/pods/a was given up: this program ends");
  CHECK(ending.soon());
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a call whose turn would come after its deadline is told so at once", "[kube]") {
  SocketServer server(answer_forever);
  const auto client = client_of(server, 10s, {.requests_per_second = 0.01, .burst = 1});
  CHECK(read(*client));
  const auto begun = Clock::now();
  const Error error = error_of(write(*client));
  CHECK(error.is(ErrorKind::kUnreachable));
  CHECK(
      error.message ==
      "PATCH /api/v1/namespaces/ns/pods/a was given up: so many others wait that it would be late");
  CHECK(Clock::now() - begun < 2s * test::kSlowness);
}

TEST_CASE("with the program a read ends that is under way, a write and a Lease do not", "[kube]") {
  SocketServer server([](Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      const bool hangs = request.starts_with("GET /api/");
      if (hangs) return peer.wait_for_end();
      std::this_thread::sleep_for(600ms);
      peer.answer(200, kPod);
    }
  });
  Ending ending;
  const auto client = client_of(server, 60s, {.stop = ending.token()});
  ending.begin();
  std::jthread writer([&] { CHECK(write(*client)); });
  const Error error = error_of(read(*client));
  CHECK(error.is(ErrorKind::kUnreachable));
  CHECK(error.message == "GET /api/v1/namespaces/ns/pods/a was given up: this program ends");
  CHECK(ending.soon());
  writer.join();
  CHECK(client->get({kLeases, "ns", "a"}));
}

// Says at first who we are until long ago, and then nothing.
Config with_plugin_that_hangs(const SocketServer& server, const std::string& mark) {
  Config config{.server = server.url()};
  config.exec.emplace();
  config.exec->api_version = "client.authentication.k8s.io/v1";
  config.exec->command = "sh";
  config.exec->interactive_mode = InteractiveMode::kNever;
  config.exec->arguments = {
      "-c",
      "[ -e " + mark + " ] && exec sleep 60; touch " + mark +
          R"(; echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
          R"("status":{"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"}}')"};
  return config;
}

TEST_CASE("a credential plugin that hangs ends with the call's deadline, and with the program",
          "[kube]") {
  const std::string mark =
      (std::filesystem::temp_directory_path() / ("pgc-plugin-" + std::to_string(::getpid())))
          .string();
  SocketServer server(answer_forever);
  std::filesystem::remove(mark);
  const auto late = client_of(with_plugin_that_hangs(server, mark), 500ms);
  const auto begun = Clock::now();
  CHECK(error_of(read(*late)).message.find("did not answer within") != std::string::npos);
  CHECK(Clock::now() - begun < 3s * test::kSlowness);

  std::filesystem::remove(mark);
  Ending ending;
  const auto ended = client_of(with_plugin_that_hangs(server, mark), 60s, {.stop = ending.token()});
  ending.begin();
  CHECK(error_of(read(*ended)).message.ends_with("was ended, for this program ends"));
  CHECK(ending.soon());
  std::filesystem::remove(mark);
  CHECK(server.requests().empty());
}

}  // namespace
}  // namespace pgc::kube
