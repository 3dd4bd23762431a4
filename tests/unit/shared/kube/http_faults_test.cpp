// The HTTP client against a server that misbehaves, on a socket of this machine.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "shared/kube/client.h"
#include "shared/kube/config.h"
#include "tests/support/slowness.h"
#include "tests/support/socket_server.h"

namespace pgc::kube {
namespace {

using namespace std::chrono_literals;
using test::Peer;
using test::SocketServer;
using Clock = std::chrono::steady_clock;

const ObjectRef kRef{kPods, "ns", "a"};
const std::string kPod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})";

std::unique_ptr<Client> client_of(const Config& config, std::chrono::milliseconds timeout = 10s,
                                  ClientOptions options = {}) {
  options.user_agent = "pgc-tests";
  options.timeout = timeout * test::kSlowness;
  auto client = make_http_client(config, options);
  INFO((client ? "" : client.error().message));
  REQUIRE(client);
  return *std::move(client);
}

std::unique_ptr<Client> client_of(const SocketServer& server,
                                  std::chrono::milliseconds timeout = 10s,
                                  ClientOptions options = {}) {
  return client_of({.server = server.url()}, timeout, std::move(options));
}

Result<Object> read(Client& client) {
  return client.get(kRef);
}

Result<Object> write(Client& client) {
  return client.patch(kRef, PatchType::kMerge, Json::object(), {});
}

template <typename T>
Error error_of(const Result<T>& result) {
  REQUIRE_FALSE(result);
  return result.error();
}

void answer_forever(Peer& peer) {
  while (!peer.read_request().empty()) peer.answer(200, kPod);
}

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

// Answers `first` times with `code`, then well.
SocketServer::Script busy(int first, int code, std::string headers) {
  auto left = std::make_shared<std::atomic<int>>(first);
  return [left, code, headers = std::move(headers)](Peer& peer) {
    while (!peer.read_request().empty()) {
      const bool refuse = left->fetch_sub(1) > 0;
      peer.answer(refuse ? code : 200, refuse ? "{}" : kPod, refuse ? headers : "");
    }
  };
}

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

// --- Lists ---

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

// --- Watches ---

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

struct Watched {
  std::vector<std::string> versions;
  Result<void> result;
};

Watched watch(Client& client, const std::string& from = "0", std::stop_token stop = {}) {
  Watched watched;
  watched.result = client.watch(
      kPods, {}, from,
      [&](const WatchEvent& event) {
        watched.versions.emplace_back(event.object.resource_version());
      },
      std::move(stop));
  return watched;
}

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

// --- What comes beside ---

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
  std::sort(warnings.begin(), warnings.end());
  CHECK(warnings == Texts{"old", "very old"});
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
