#include "operator/schedule.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace pgc {
namespace {

using namespace std::chrono_literals;
using TimePoint = Schedule::TimePoint;

const ClusterKey kA{"shop", "a"};
const ClusterKey kB{"shop", "b"};
const ClusterKey kC{"shop", "c"};
const TimePoint kNoon{1000h};

// The names of what is due at that time, in order; each is done at once.
std::string due(Schedule& schedule, TimePoint now) {
  std::string names;
  while (const auto turn = schedule.take(now)) {
    names += turn->key.name;
    schedule.done(turn->key);
  }
  return names;
}

TEST_CASE("a key stands in the schedule once, in the order of its first adding") {
  Schedule schedule;
  for (const ClusterKey& key : {kB, kA, kB, kC, kA}) schedule.add(key, kNoon);
  CHECK(schedule.depth() == 3);
  CHECK(due(schedule, kNoon) == "bac");
  CHECK(schedule.depth() == 0);
}

TEST_CASE("a key that is worked on comes again once it is done, behind the others") {
  Schedule schedule;
  schedule.add(kA, kNoon);
  schedule.add(kB, kNoon);
  REQUIRE(schedule.take(kNoon)->key == kA);
  schedule.add(kA, kNoon);
  schedule.add(kA, kNoon);
  REQUIRE(schedule.take(kNoon)->key == kB);
  CHECK_FALSE(schedule.take(kNoon));
  schedule.done(kA);
  CHECK(due(schedule, kNoon) == "a");
}

TEST_CASE("who is asked to come later comes later, whatever changes meanwhile") {
  const Retry later{.at_least = 5s};
  Schedule schedule;
  schedule.add(kA, kNoon);
  REQUIRE(schedule.take(kNoon));
  schedule.add(kA, kNoon);          // in the turn that fails
  schedule.add_at(kA, kNoon + 2s);  // a wish from before
  CHECK(schedule.add_failed(kA, later, kNoon, 0) == 5s);
  schedule.add(kA, kNoon);  // before it has ended
  schedule.done(kA);
  schedule.add(kA, kNoon + 1s);
  schedule.add_at(kA, kNoon + 1s);
  schedule.add(kB, kNoon + 1s);
  CHECK(due(schedule, kNoon + 4999ms) == "b");  // the others are not held
  CHECK(due(schedule, kNoon + 5s) == "a");
  schedule.add(kA, kNoon + 6s);
  CHECK(due(schedule, kNoon + 6s) == "a");  // and that was it
}

TEST_CASE("a change does not wait for a wait that nobody asked for") {
  Schedule schedule;
  schedule.add_failed(kA, {}, kNoon, 0);
  schedule.add(kA, kNoon);
  CHECK(due(schedule, kNoon) == "a");
}

TEST_CASE("a cluster that changes all the time gets no more turns than the others") {
  Schedule schedule;
  for (const ClusterKey& key : {kA, kB, kC}) schedule.add(key, kNoon);
  std::string turns;
  for (int i = 0; i < 9; ++i) {
    const auto turn = schedule.take(kNoon);
    REQUIRE(turn);
    turns += turn->key.name;
    for (int n = 0; n < 10; ++n) schedule.add(kA, kNoon);  // the noise
    schedule.done(turn->key);
    schedule.add(turn->key, kNoon);
  }
  CHECK(turns == "abcabcabc");
}

TEST_CASE("how long a key has waited is told, also where an alarm was late") {
  Schedule schedule;
  schedule.add(kA, kNoon);
  CHECK(schedule.take(kNoon + 3s)->waited == 3s);
  schedule.add_at(kB, kNoon + 1s);
  CHECK(schedule.take(kNoon + 5s)->waited == 4s);
}

TEST_CASE("a delayed key comes when it is due, not before") {
  Schedule schedule;
  schedule.add_at(kA, kNoon + 1s);
  CHECK(schedule.next_alarm() == kNoon + 1s);
  CHECK(due(schedule, kNoon + 999ms) == "");
  CHECK(due(schedule, kNoon + 1s) == "a");
  CHECK_FALSE(schedule.next_alarm());
}

TEST_CASE("alarms come in the order in which they are due") {
  Schedule schedule;
  schedule.add_at(kA, kNoon + 2s);
  schedule.add_at(kB, kNoon + 1s);
  schedule.add(kC, kNoon);
  CHECK(due(schedule, kNoon + 3s) == "cba");
}

// Were there several, each would set the next one, and they would only ever become more.
TEST_CASE("a key has one alarm, the earliest, and none after a turn") {
  Schedule schedule;
  schedule.add_at(kA, kNoon + 5s);
  schedule.add_at(kA, kNoon + 1s);
  schedule.add_at(kA, kNoon + 3s);
  CHECK(schedule.next_alarm() == kNoon + 1s);
  schedule.add(kA, kNoon);  // something happens before
  CHECK(due(schedule, kNoon) == "a");
  CHECK_FALSE(schedule.next_alarm());
  CHECK(due(schedule, kNoon + 10s) == "");
}

TEST_CASE("an alarm during the work is for afterwards") {
  Schedule schedule;
  schedule.add(kA, kNoon);
  REQUIRE(schedule.take(kNoon));
  schedule.add_at(kA, kNoon + 1s);
  CHECK_FALSE(schedule.take(kNoon + 2s));
  schedule.done(kA);
  CHECK(due(schedule, kNoon + 2s) == "a");
}

constexpr Retry kRetry{.backoff = {.first = 100ms, .longest = 1s}};

TEST_CASE("a key that fails waits twice as long each time up to a limit, until it succeeds") {
  Schedule schedule;
  constexpr double kMost = 0.9999999;
  std::vector<std::chrono::milliseconds> waits;
  for (int i = 0; i < 6; ++i) waits.push_back(schedule.add_failed(kA, kRetry, kNoon, kMost));
  CHECK(waits == std::vector<std::chrono::milliseconds>{99ms, 199ms, 399ms, 799ms, 999ms, 999ms});
  CHECK(schedule.add_failed(kB, kRetry, kNoon, 0) == 50ms);  // each for itself, half at least
  CHECK(schedule.state(kA).failures == 6);
  schedule.forget_failures(kA);
  CHECK(schedule.add_failed(kA, kRetry, kNoon, 0) == 50ms);
}

TEST_CASE("however often it fails, the wait stays within its limits") {
  Schedule schedule;
  for (int i = 0; i < 10'000; ++i) {
    const auto wait = schedule.add_failed(kA, kRetry, kNoon, 0.5);
    REQUIRE(wait >= 50ms);
    REQUIRE(wait <= 1s);
  }
}

TEST_CASE("a server that says when it wants to be asked again is not asked before") {
  Schedule schedule;
  Retry retry = kRetry;
  retry.at_least = 7s;
  CHECK(schedule.add_failed(kA, retry, kNoon, 0) == 7s);
  CHECK(due(schedule, kNoon + 6s) == "");
  CHECK(due(schedule, kNoon + 7s) == "a");
}

// A storm of changes, each of which made the turn write, must not put off the look after the last.
TEST_CASE("a key that repeats itself waits longer each time, until somebody else wakes it") {
  Schedule schedule;
  const auto repeat = [&](Schedule::TimePoint now) {
    schedule.add_repeat(kA, kRetry.backoff, now, 0);
    const auto wait = schedule.next_alarm().value() - now;
    REQUIRE(due(schedule, now + wait) == "a");
    return wait;
  };
  CHECK(repeat(kNoon) == 50ms);
  CHECK(repeat(kNoon) == 100ms);
  CHECK(repeat(kNoon) == 200ms);
  schedule.add(kA, kNoon);
  REQUIRE(due(schedule, kNoon) == "a");
  CHECK(repeat(kNoon) == 50ms);
  CHECK(schedule.state(kA).failures == 0);
  schedule.forget_repeats(kA);
  CHECK(schedule.size() == 0);
}

TEST_CASE("a failed key goes behind what is due when its time comes") {
  Schedule schedule;
  schedule.add_failed(kA, kRetry, kNoon, 0);
  schedule.add(kB, kNoon);
  CHECK(due(schedule, kNoon + 1s) == "ba");
}

TEST_CASE("nothing is kept of a key at rest") {
  Schedule schedule;
  schedule.add(kA, kNoon);
  schedule.add_failed(kB, kRetry, kNoon, 0);
  CHECK(schedule.state(kA).waiting);
  CHECK(due(schedule, kNoon + 1s) == "ab");
  schedule.forget_failures(kB);
  CHECK_FALSE(schedule.state(kA).waiting);
  CHECK(schedule.size() == 0);
}

}  // namespace
}  // namespace pgc
