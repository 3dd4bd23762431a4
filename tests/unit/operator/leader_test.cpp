#include "operator/leader.h"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "shared/kube/pause.h"
#include "tests/support/api_server.h"

namespace pgc {
namespace {

using namespace std::chrono_literals;
using Clock = BootClock;

const kube::ObjectRef kLease{kube::kLeases, "pgc-system", "pgc-operator"};

// A server that can be cut off: then reads hang for a while and fail, and writes fail.
class CutOffServer : public test::ApiServer {
 public:
  std::atomic<bool> cut_off{false};
  std::chrono::milliseconds hang{0};

  kube::Result<kube::Object> get(const kube::ObjectRef& ref) override {
    if (!cut_off) return ApiServer::get(ref);
    std::this_thread::sleep_for(hang);
    return std::unexpected(kube::Error{.kind = kube::ErrorKind::kUnreachable});
  }
};

// Short, and yet long enough for a thread to be kept waiting on a machine that is busy.
constexpr std::chrono::seconds kDuration{6};
constexpr std::chrono::seconds kRenewDeadline{2};

// One candidate in a thread of its own.
class Candidate {
 public:
  Candidate(kube::Client& client, const std::string& identity)
      : election_(client, fence_,
                  {.ns = "pgc-system",
                   .identity = identity,
                   .duration = kDuration,
                   .renew_deadline = kRenewDeadline,
                   .retry_period = 20ms},
                  log_),
        thread_([this](std::stop_token stop) {
          orderly_ = election_.run(stop, [this](std::stop_token ended) {
            ++working_;
            kube::pause_for(1h, ended);
            --working_;
            stopped_at_ = Clock::now();
          });
          ended_ = true;
        }) {}

  bool leading() const { return election_.leading() && working_ == 1; }
  bool working() const { return working_ > 0; }
  bool ended() const { return ended_; }
  Clock::time_point stopped_at() const { return stopped_at_; }
  // Asks it to end; whether it gave the lease back.
  bool stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    return orderly_;
  }

 private:
  Log log_{[](const std::string&) {}};
  Fence fence_;
  LeaderElection election_;
  std::atomic<int> working_{0};
  std::atomic<bool> ended_{false};
  std::atomic<Clock::time_point> stopped_at_{};
  bool orderly_ = false;
  std::jthread thread_;
};

bool within(std::chrono::milliseconds time, const std::function<bool()>& holds) {
  const auto until = Clock::now() + time;
  while (!holds() && Clock::now() < until) std::this_thread::sleep_for(1ms);
  return holds();
}

std::string holder(kube::Client& client) {
  return std::string(kube::string_at(client.get(kLease)->json(), {"spec", "holderIdentity"}));
}

TEST_CASE("of two candidates one leads, and the other follows when the lease is given back") {
  test::ApiServer server;
  Candidate first(server, "first");
  REQUIRE(within(5s, [&] { return first.leading(); }));
  Candidate second(server, "second");
  std::this_thread::sleep_for(100ms);
  CHECK(first.leading());
  CHECK_FALSE(second.working());
  CHECK(holder(server) == "first");

  CHECK(first.stop());
  CHECK(within(kDuration - 1s, [&] { return second.leading(); }));  // it need not expire
  CHECK(holder(server) == "second");
  CHECK(second.stop());
  CHECK(holder(server).empty());
}

TEST_CASE("a lease that no longer moves expires by our own clock, whatever it says") {
  test::ApiServer server;
  server.put(kLease, kube::Json::parse(R"({"spec": {
    "holderIdentity": "dead", "leaseDurationSeconds": 1, "leaseTransitions": 4,
    "renewTime": "2999-01-01T00:00:00.000000Z"}})"));
  const auto start = Clock::now();
  Candidate candidate(server, "alive");
  CHECK(within(10s, [&] { return candidate.leading(); }));
  CHECK(Clock::now() - start >= 1s);
  CHECK(kube::int_at(server.get(kLease)->json(), {"spec", "leaseTransitions"}) == 5);
  candidate.stop();
}

TEST_CASE("a lease that moves stays with its holder") {
  test::ApiServer server;
  server.put(kLease, kube::Json::parse(
                         R"({"spec": {"holderIdentity": "other", "leaseDurationSeconds": 2}})"));
  Candidate candidate(server, "waiting");
  for (int i = 0; i < 25; ++i) {
    server.change(kLease, {{"spec", {{"renewTime", std::to_string(i)}}}});
    std::this_thread::sleep_for(100ms);
  }
  CHECK_FALSE(candidate.working());
  CHECK(candidate.stop());  // it never led: nothing to give back
  CHECK(holder(server) == "other");
}

TEST_CASE("who can't renew stops its work before the lease expires, also while a renewal hangs") {
  for (const std::chrono::milliseconds hang : {0ms, 4000ms}) {
    CAPTURE(hang.count());
    CutOffServer server;
    server.hang = hang;
    Candidate candidate(server, "cut off");
    REQUIRE(within(5s, [&] { return candidate.leading(); }));
    const auto cut_at = Clock::now();
    server.cut_off = true;
    REQUIRE(within(5s, [&] { return !candidate.working(); }));
    CHECK(candidate.stopped_at() - cut_at < kDuration - 1s);
    server.cut_off = false;
    CHECK(within(20s, [&] { return candidate.leading(); }));  // nobody else was there
    CHECK(kube::int_at(server.get(kLease)->json(), {"spec", "leaseTransitions"}) == 0);
    CHECK(candidate.stop());
    CHECK(holder(server).empty());
  }
}

TEST_CASE("who can't renew does not lead again once another has, not even when that one is gone") {
  CutOffServer server;
  Candidate candidate(server, "cut off");
  REQUIRE(within(5s, [&] { return candidate.leading(); }));
  server.cut_off = true;
  REQUIRE(within(5s, [&] { return !candidate.working(); }));
  server.change(kLease, {{"spec", {{"holderIdentity", "another"}, {"renewTime", "long ago"}}}});
  server.cut_off = false;
  CHECK(within(20s, [&] { return candidate.ended(); }));
  CHECK_FALSE(candidate.stop());
  CHECK(holder(server) == "another");
}

TEST_CASE("who loses the lease to another stops its work, and leaves the lease alone") {
  test::ApiServer server;
  Candidate candidate(server, "first");
  REQUIRE(within(5s, [&] { return candidate.leading(); }));
  server.change(kLease, {{"spec", {{"holderIdentity", "thief"}}}});
  CHECK(within(kDuration - 1s, [&] { return !candidate.working(); }));
  CHECK(within(5s, [&] { return candidate.ended(); }));
  CHECK_FALSE(candidate.stop());
  CHECK(holder(server) == "thief");
}

}  // namespace
}  // namespace pgc
