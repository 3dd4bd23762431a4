#include "operator/work_queue.h"

#include <catch2/catch_test_macros.hpp>
#include <thread>
#include <vector>

namespace pgc {
namespace {

using namespace std::chrono_literals;
using Clock = WorkQueue::Clock;

const ClusterKey kA{"shop", "a"};
const ClusterKey kB{"shop", "b"};

// What the queue hands out within a time, at most one key.
std::optional<ClusterKey> take_within(WorkQueue& queue, std::chrono::milliseconds time) {
  std::stop_source stop;
  const std::jthread alarm([&](std::stop_token ended) {
    const auto until = Clock::now() + time;
    while (!ended.stop_requested() && Clock::now() < until) std::this_thread::sleep_for(1ms);
    stop.request_stop();
  });
  return queue.take(stop.get_token());
}

TEST_CASE("a key stands in the queue once, in the order of its first adding") {
  WorkQueue queue;
  queue.add(kA);
  queue.add(kB);
  queue.add(kA);
  CHECK(take_within(queue, 1s) == kA);
  CHECK(take_within(queue, 1s) == kB);
  CHECK_FALSE(take_within(queue, 20ms));
}

TEST_CASE("a key that is worked on is not handed out again before it is done") {
  WorkQueue queue;
  queue.add(kA);
  REQUIRE(take_within(queue, 1s) == kA);
  queue.add(kA);
  queue.add(kA);
  CHECK_FALSE(take_within(queue, 20ms));
  queue.done(kA);
  CHECK(take_within(queue, 1s) == kA);
  queue.done(kA);
  CHECK_FALSE(take_within(queue, 20ms));
}

TEST_CASE("while one key is worked on, another one is handed out") {
  WorkQueue queue;
  queue.add(kA);
  REQUIRE(take_within(queue, 1s) == kA);
  queue.add(kB);
  CHECK(take_within(queue, 1s) == kB);
}

TEST_CASE("a stopped queue hands out nothing, not even what is there") {
  WorkQueue queue;
  queue.add(kA);
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(queue.take(stop.get_token()));
}

TEST_CASE("whoever waits is woken by a key, and by the stop") {
  WorkQueue queue;
  std::optional<ClusterKey> taken;
  std::optional<ClusterKey> after = kA;
  std::jthread worker([&](std::stop_token stop) {
    taken = queue.take(stop);
    after = queue.take(stop);
  });
  std::this_thread::sleep_for(5ms);
  queue.add(kB);
  std::this_thread::sleep_for(20ms);
  worker.request_stop();
  worker.join();
  CHECK(taken == kB);
  CHECK_FALSE(after);
}

TEST_CASE("a delayed key comes when it is due, not before") {
  WorkQueue queue;
  const auto start = Clock::now();
  queue.add_after(kA, 60ms);
  CHECK(take_within(queue, 5s) == kA);
  CHECK(Clock::now() - start >= 60ms);
}

TEST_CASE("an earlier alarm overtakes a later one, for whoever waits already") {
  WorkQueue queue;
  queue.add_after(kA, 1h);
  const auto start = Clock::now();
  std::optional<ClusterKey> taken;
  std::jthread worker([&](std::stop_token stop) { taken = queue.take(stop); });
  std::this_thread::sleep_for(5ms);
  queue.add_after(kB, 20ms);
  while (!taken && Clock::now() - start < 5s) std::this_thread::sleep_for(1ms);
  worker.request_stop();
  worker.join();
  CHECK(taken == kB);
}

// Each turn of a cluster that is not settled sets the next alarm; were they not one, every change
// in between would add an alarm that comes for ever.
TEST_CASE("a key has one alarm, however often it is delayed") {
  WorkQueue queue;
  for (int i = 0; i < 10; ++i) queue.add_after(kA, 10ms);
  queue.add_after(kA, 40ms);
  queue.add_failed(kA);
  CHECK(take_within(queue, 5s) == kA);
  queue.done(kA);
  CHECK_FALSE(take_within(queue, 300ms));
}

// How long a failed key stays away.
std::chrono::milliseconds away(WorkQueue& queue, const ClusterKey& key) {
  const auto start = Clock::now();
  queue.add_failed(key);
  REQUIRE(take_within(queue, 10s) == key);
  queue.done(key);
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

TEST_CASE("a key that fails waits twice as long each time, until it succeeds") {
  WorkQueue queue;
  CHECK(away(queue, kA) >= 200ms);
  CHECK(away(queue, kA) >= 400ms);
  CHECK(away(queue, kA) >= 800ms);
  CHECK(away(queue, kB) < 800ms);  // each key for itself
  queue.forget_failures(kA);
  CHECK(away(queue, kA) < 800ms);
}

TEST_CASE("several workers never hold the same key, and every key is served") {
  WorkQueue queue;
  std::mutex mutex;
  std::map<std::string, int> holders;
  std::map<std::string, int> served;
  bool twice = false;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&](std::stop_token stop) {
        while (const auto key = queue.take(stop)) {
          {
            const std::lock_guard lock(mutex);
            twice = twice || ++holders[key->name] > 1;
          }
          std::this_thread::sleep_for(100us);
          {
            const std::lock_guard lock(mutex);
            --holders[key->name];
            ++served[key->name];
          }
          queue.done(*key);
        }
      });
    }
    for (int i = 0; i < 400; ++i) queue.add({"shop", std::to_string(i % 5)});
    std::this_thread::sleep_for(100ms);
  }
  CHECK_FALSE(twice);
  CHECK(served.size() == 5);
}

}  // namespace
}  // namespace pgc
