#include "shared/kube/rate_limit.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::kube {
namespace {

using namespace std::chrono_literals;

const RateLimit::TimePoint kNow = RateLimit::TimePoint(1h);

const RateLimit::TimePoint kNever = RateLimit::TimePoint::max();

TEST_CASE("so many go at once, the others one after the other") {
  RateLimit limit(10, 3);
  for (int i = 0; i < 3; ++i) CHECK(limit.reserve(kNow, kNever) == kNow);
  CHECK(limit.reserve(kNow, kNever) == kNow + 100ms);
  CHECK(limit.reserve(kNow, kNever) == kNow + 200ms);
  CHECK(limit.reserve(kNow + 50ms, kNever) == kNow + 300ms);
}

TEST_CASE("who has waited may go at once again, but never more than the burst") {
  RateLimit limit(10, 3);
  for (int i = 0; i < 4; ++i) limit.reserve(kNow, kNever);
  CHECK(limit.reserve(kNow + 250ms, kNever) == kNow + 250ms);
  CHECK(limit.reserve(kNow + 250ms, kNever) == kNow + 300ms);
  const auto much_later = kNow + 24h;
  for (int i = 0; i < 3; ++i) CHECK(limit.reserve(much_later, kNever) == much_later);
  CHECK(limit.reserve(much_later, kNever) == much_later + 100ms);
}

TEST_CASE("no limit is none") {
  RateLimit limit(0, 1);
  for (int i = 0; i < 1000; ++i) REQUIRE(limit.reserve(kNow, kNever) == kNow);
}

TEST_CASE("whose turn would come too late takes no place") {
  RateLimit limit(1, 1);
  CHECK(limit.reserve(kNow, kNow) == kNow);
  CHECK(limit.reserve(kNow, kNow + 999ms) == std::nullopt);
  CHECK(limit.reserve(kNow, kNow + 1s) == kNow + 1s);
}

TEST_CASE("a burst of nothing is one") {
  RateLimit limit(1, 0);
  CHECK(limit.reserve(kNow, kNever) == kNow);
  CHECK(limit.reserve(kNow, kNever) == kNow + 1s);
}

}  // namespace
}  // namespace pgc::kube
