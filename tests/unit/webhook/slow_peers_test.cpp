// Hundreds of connections that drip, and clients that must not notice.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <thread>

#include "tests/support/slowness.h"
#include "tests/unit/webhook/server_support.h"

namespace pgc::webhook::testing {
namespace {

using Clock = std::chrono::steady_clock;

// A connection that sends a byte now and then: of its handshake, of a request's headers, of a body.
class Dripper {
 public:
  Dripper(int port, int kind) {
    switch (kind % 4) {
      case 0:
        raw_ = std::make_unique<Socket>(port);
        (void)raw_->send(std::string("\x16\x03\x01\x02", 4));
        return;
      case 1:
        raw_ = std::make_unique<Socket>(port);
        return;
      case 2:
        tls_ = std::make_unique<Connection>(port);
        (void)tls_->send("POST ");
        return;
      default:
        tls_ = std::make_unique<Connection>(port);
        (void)tls_->send(post("Content-Length: 100000\r\n", "{"));
    }
  }
  bool drip() { return raw_ ? raw_->send("x") : tls_->send("x"); }

 private:
  std::unique_ptr<Socket> raw_;
  std::unique_ptr<Connection> tls_;
};

// Keeps `count` of them open until the end: who is cut off comes back.
class Drippers {
 public:
  Drippers(int port, int count) : port_(port), count_(static_cast<std::size_t>(count)) {
    constexpr int kThreads = 20;
    for (int t = 0; t < kThreads; ++t) {
      threads_.emplace_back(
          [this, t, mine = count / kThreads](std::stop_token stop) { run(t, mine, stop); });
    }
  }
  std::size_t came_back() const { return came_back_; }
  // A slow machine takes its time for so many handshakes.
  bool all_open_within(std::chrono::seconds time) const {
    const auto until = Clock::now() + time;
    while (open_ < count_ && Clock::now() < until) std::this_thread::sleep_for(milliseconds(50));
    return open_ == count_;
  }

 private:
  void run(int kind, int count, std::stop_token stop) {
    std::vector<std::unique_ptr<Dripper>> all(static_cast<std::size_t>(count));
    while (!stop.stop_requested()) {
      for (auto& dripper : all) {
        if (stop.stop_requested()) return;
        if (dripper && dripper->drip()) continue;
        if (dripper) ++came_back_;
        if (!dripper) ++open_;
        try {
          dripper = std::make_unique<Dripper>(port_, kind++);
        } catch (const std::exception&) {
          dripper.reset();
          --open_;
        }
      }
      std::this_thread::sleep_for(milliseconds(200));
    }
  }

  const int port_;
  const std::size_t count_;
  std::atomic<std::size_t> came_back_ = 0;
  std::atomic<std::size_t> open_ = 0;
  std::vector<std::jthread> threads_;
};

TEST_CASE("five hundred that drip do not keep anybody from being answered", "[webhook]") {
  Limits limits;
  limits.handshake *= test::kSlowness;
  limits.request *= test::kSlowness;
  limits.grace *= test::kSlowness;
  Running running({.limits = limits});
  const auto where = [&] { return std::pair(running.port, running.ca.certificate); };
  Load keeping(where, 5, 25);
  Load coming_anew(where, 5, 25, false);
  std::this_thread::sleep_for(milliseconds(300));
  Drippers drippers(running.port, 500);
  CHECK(drippers.all_open_within(std::chrono::seconds(60)));
  std::this_thread::sleep_for(full() ? std::chrono::seconds(60) : std::chrono::seconds(5));
  const auto kept = keeping.finish();
  const auto anew = coming_anew.finish();
  const std::string seen = "on kept connections " + std::to_string(kept.asked) +
                           " requests, slowest " + std::to_string(kept.slowest.count()) +
                           " s; on new ones " + std::to_string(anew.asked) + ", slowest " +
                           std::to_string(anew.slowest.count()) +
                           " s; drippers that were cut off " + std::to_string(drippers.came_back());
  WARN(seen);
  CHECK(kept.first_failure == "");
  CHECK(anew.first_failure == "");
  CHECK(kept.failed == 0);
  CHECK(anew.failed == 0);
  CHECK(kept.asked + anew.asked > (full() ? 2'000 : 100));
  CHECK(kept.slowest.count() < 2 * test::kSlowness);
  CHECK(anew.slowest.count() < 5 * test::kSlowness);  // what the webhook configurations allow
}

TEST_CASE("who is answered keeps his connection when others crowd in", "[webhook]") {
  Running running({.workers = 8});
  Connection known(running.port);
  REQUIRE(known.ask(with_length(a_good_review())));
  std::vector<std::unique_ptr<Connection>> strangers;
  for (int i = 0; i < 30; ++i) strangers.push_back(std::make_unique<Connection>(running.port));
  CHECK(std::ranges::all_of(strangers, [](const auto& stranger) { return stranger->is_open(); }));
  CHECK(known.ask(with_length(a_good_review())));
  CHECK(strangers.back()->ask(with_length(a_good_review())));
}

TEST_CASE("where all workers are held by idle peers, the longest idle one makes room",
          "[webhook]") {
  Running running({.workers = 8});
  std::vector<std::unique_ptr<Connection>> peers;
  for (int i = 0; i < 8; ++i) {
    peers.push_back(std::make_unique<Connection>(running.port));
    REQUIRE(peers.back()->ask(with_length(a_good_review())));
  }
  Connection another(running.port);
  CHECK(another.ask(with_length(a_good_review())));
  CHECK(peers.front()->closed());
  CHECK(peers.back()->ask(with_length(a_good_review())));
}

}  // namespace
}  // namespace pgc::webhook::testing
