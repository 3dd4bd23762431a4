#include "operator/event_series.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc {
namespace {

using namespace std::chrono_literals;
using Write = EventSeries::Write;

const EventSeries::TimePoint kNoon{std::chrono::seconds(1'769'860'800)};
const EventSeries::Key kKey{"u", true, "NoPrimary", "Observe", "nobody leads"};

TEST_CASE("what happens again within six minutes is counted in the first Event") {
  EventSeries series;
  CHECK(series.happened(kKey, kNoon).write == Write::kCreate);
  series.stands(kKey, "my-db.1", kNoon);
  const auto second = series.happened(kKey, kNoon + 5min);
  CHECK(second.write == Write::kCount);
  CHECK(second.name == "my-db.1");
  CHECK(second.count == 2);
}

TEST_CASE("the count is written once a minute, and misses nothing") {
  EventSeries series;
  series.stands(kKey, "my-db.1", kNoon);
  int writes = 0;
  int count = 0;
  for (int second = 1; second <= 600; ++second) {
    const auto decision = series.happened(kKey, kNoon + std::chrono::seconds(second));
    CHECK(decision.write != Write::kCreate);
    if (decision.write == Write::kCount) ++writes, count = decision.count;
  }
  CHECK(writes == 10);
  CHECK(count >= 541);
}

TEST_CASE("after six quiet minutes it is a new Event") {
  EventSeries series;
  series.stands(kKey, "my-db.1", kNoon);
  CHECK(series.happened(kKey, kNoon + 6min + 1us).write == Write::kCreate);
}

TEST_CASE("a series has ended at its time, also where others were dropped a moment before") {
  EventSeries series;
  const EventSeries::Key other{"v", false, "Ready", "Observe", ""};
  series.stands(kKey, "my-db.1", kNoon);
  series.happened(other, kNoon + 6min - 1s);  // those that have ended by now are dropped
  CHECK(series.happened(kKey, kNoon + 6min + 1us).write == Write::kCreate);
}

TEST_CASE("another cluster, reason or note is another Event") {
  EventSeries series;
  series.stands(kKey, "my-db.1", kNoon);
  for (const EventSeries::Key& other :
       {EventSeries::Key{"v", true, "NoPrimary", "Observe", "nobody leads"},
        EventSeries::Key{"u", false, "NoPrimary", "Observe", "nobody leads"},
        EventSeries::Key{"u", true, "Ready", "Observe", "nobody leads"},
        EventSeries::Key{"u", true, "NoPrimary", "Create", "nobody leads"},
        EventSeries::Key{"u", true, "NoPrimary", "Observe", ""}}) {
    CHECK(series.happened(other, kNoon).write == Write::kCreate);
  }
}

TEST_CASE("an Event that is gone is made anew") {
  EventSeries series;
  series.stands(kKey, "my-db.1", kNoon);
  series.forget(kKey);
  CHECK(series.happened(kKey, kNoon + 1s).write == Write::kCreate);
}

TEST_CASE("what is remembered has an end") {
  EventSeries series;
  for (std::size_t i = 0; i < EventSeries::kMost + 1; ++i) {
    series.stands({std::to_string(i), false, "", "", ""}, "name", kNoon);
  }
  const std::string last = std::to_string(EventSeries::kMost);
  CHECK(series.happened({last, false, "", "", ""}, kNoon).write == Write::kCreate);
  CHECK(series.happened({"0", false, "", "", ""}, kNoon).write == Write::kCount);
}

}  // namespace
}  // namespace pgc
