// The end of a server under load: who was heard is answered.
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "tests/unit/webhook/server_support.h"

namespace pgc::webhook::testing {
namespace {

TEST_CASE("replicas come and go under load, and no request is lost", "[webhook]") {
  const int rounds = full() ? 20 : 4;
  std::mutex mutex;
  auto serving = std::make_unique<Running>();
  const auto where = [&] {
    const std::lock_guard lock(mutex);
    return std::pair(serving->port, serving->ca.certificate);
  };
  Load load(where, 8, 200);
  for (int round = 0; round < rounds; ++round) {
    std::this_thread::sleep_for(milliseconds(300));
    auto next = std::make_unique<Running>();
    std::unique_ptr<Running> before;
    {
      const std::lock_guard lock(mutex);  // the Service's endpoints change
      before = std::exchange(serving, std::move(next));
    }
    before->server().leave();
    std::this_thread::sleep_for(milliseconds(400));  // --drain
    before->stop();
  }
  const auto counts = load.finish();
  WARN(counts.asked << " requests over " << rounds << " ends on " << counts.connections
                    << " connections, " << counts.failed << " failed");
  CHECK(counts.first_failure == "");
  CHECK(counts.failed == 0);
  CHECK(counts.connections >= static_cast<std::size_t>(8 * (rounds + 1)));
}

TEST_CASE("what has come before the end is answered, and that is the connection's last word",
          "[webhook]") {
  Running running;
  Connection idle(running.port);
  REQUIRE(idle.ask(with_length(a_good_review())));
  Connection half(running.port);
  const std::string request = with_length(a_good_review());
  REQUIRE(half.send(request.substr(0, request.size() / 2)));
  Connection fresh(running.port);
  std::this_thread::sleep_for(milliseconds(100));
  std::jthread stopping([&] { running.stop(); });
  std::this_thread::sleep_for(milliseconds(100));
  CHECK(idle.closed());
  REQUIRE(half.send(request.substr(request.size() / 2)));
  const auto late = half.answer();
  REQUIRE(late);
  CHECK(late->status == 200);
  CHECK(late->ends_connection());
  CHECK(fresh.ask(with_length(a_good_review())).value().status == 200);
  stopping.join();
  CHECK_THROWS(Socket(running.port));
}

TEST_CASE("a server ends though nobody hangs up", "[webhook]") {
  Running running({.workers = 16, .limits = {.request = milliseconds(500)}});
  std::vector<std::unique_ptr<Connection>> peers;
  for (int i = 0; i < 10; ++i) {
    peers.push_back(std::make_unique<Connection>(running.port));
    if (i % 2 == 0) REQUIRE(peers.back()->send("POST "));
  }
  const auto begin = std::chrono::steady_clock::now();
  running.stop();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(3));
}

}  // namespace
}  // namespace pgc::webhook::testing
