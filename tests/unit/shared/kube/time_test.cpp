#include "shared/kube/time.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::kube {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using std::chrono::sys_time;

TEST_CASE("a time is written as the API writes it") {
  CHECK(rfc3339(sys_seconds{0s}) == "1970-01-01T00:00:00Z");
  CHECK(rfc3339(sys_seconds{1'769'860'800s}) == "2026-01-31T12:00:00Z");
  CHECK(rfc3339(sys_seconds{951'827'696s}) == "2000-02-29T12:34:56Z");
  CHECK(rfc3339(sys_seconds{-1s}) == "1969-12-31T23:59:59Z");
}

TEST_CASE("a micro time always has six digits after the point") {
  CHECK(rfc3339_micro(sys_time<microseconds>{1us}) == "1970-01-01T00:00:00.000001Z");
  CHECK(rfc3339_micro(sys_time<microseconds>{1'769'860'800s}) == "2026-01-31T12:00:00.000000Z");
  CHECK(rfc3339_micro(sys_time<microseconds>{-1us}) == "1969-12-31T23:59:59.999999Z");
}

}  // namespace
}  // namespace pgc::kube
