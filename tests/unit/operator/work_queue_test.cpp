#include "operator/work_queue.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>
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
  const auto turn = queue.take(stop.get_token());
  return turn ? std::optional(turn->key) : std::nullopt;
}

bool within(std::chrono::milliseconds time, const std::function<bool()>& holds) {
  const auto until = Clock::now() + time;
  while (!holds() && Clock::now() < until) std::this_thread::sleep_for(1ms);
  return holds();
}

double half() {
  return 0.5;
}

TEST_CASE("a stopped queue hands out nothing, not even what is there") {
  WorkQueue queue(half);
  queue.add(kA);
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(queue.take(stop.get_token()));
}

TEST_CASE("whoever waits is woken by a key, and by the stop") {
  WorkQueue queue(half);
  std::atomic<bool> taken = false;
  bool ended = false;
  std::jthread worker([&](std::stop_token stop) {
    const auto turn = queue.take(stop);
    taken = turn && turn->key == kB;
    ended = !queue.take(stop);
  });
  std::this_thread::sleep_for(5ms);
  queue.add(kB);
  CHECK(within(5s, [&] { return taken.load(); }));
  std::this_thread::sleep_for(5ms);
  worker.request_stop();
  worker.join();
  CHECK(ended);
}

TEST_CASE("whoever waits for a delayed key gets it in time") {
  WorkQueue queue(half);
  const auto start = Clock::now();
  queue.add_after(kA, 60ms);
  CHECK(take_within(queue, 5s) == kA);
  CHECK(Clock::now() - start >= 60ms);
}

TEST_CASE("an earlier alarm overtakes a later one, for whoever waits already") {
  WorkQueue queue(half);
  queue.add_after(kA, 1h);
  std::atomic<bool> taken = false;
  std::jthread worker([&](std::stop_token stop) {
    const auto turn = queue.take(stop);
    taken = turn && turn->key == kB;
  });
  std::this_thread::sleep_for(5ms);
  queue.add_after(kB, 20ms);
  CHECK(within(5s, [&] { return taken.load(); }));
}

TEST_CASE("a key that failed comes again by itself") {
  WorkQueue queue(half);
  CHECK(queue.add_failed(kA, {.backoff = {.first = 10ms, .longest = 1s}}) == 7ms);
  CHECK(take_within(queue, 5s) == kA);
  queue.done(kA);
  CHECK(queue.state(kA).failures == 1);
  queue.forget_failures(kA);
  CHECK(queue.state(kA).failures == 0);
}

TEST_CASE("several workers never hold the same key, and every key is served") {
  WorkQueue queue(half);
  std::mutex mutex;
  std::map<std::string, int> holders;
  std::map<std::string, int> served;
  bool twice = false;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&](std::stop_token stop) {
        while (const auto turn = queue.take(stop)) {
          const ClusterKey& key = turn->key;
          {
            const std::lock_guard lock(mutex);
            twice = twice || ++holders[key.name] > 1;
          }
          std::this_thread::sleep_for(100us);
          {
            const std::lock_guard lock(mutex);
            --holders[key.name];
            ++served[key.name];
          }
          queue.done(key);
        }
      });
    }
    for (int i = 0; i < 400; ++i) queue.add({"shop", std::to_string(i % 5)});
    CHECK(within(30s, [&] {
      const std::lock_guard lock(mutex);
      return served.size() == 5;
    }));
  }
  CHECK_FALSE(twice);
}

}  // namespace
}  // namespace pgc
