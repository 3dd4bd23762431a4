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

TEST_CASE("a time is read in every form of RFC 3339") {
  const sys_seconds noon{1'769'860'800s};
  for (const char* text : {"2026-01-31T12:00:00Z", "2026-01-31t12:00:00z", "2026-01-31 12:00:00Z",
                           "2026-01-31T12:00:00.999999999Z", "2026-01-31T14:30:00+02:30",
                           "2026-01-31T07:00:00.5-05:00"}) {
    INFO(text);
    CHECK(parse_rfc3339(text) == noon);
  }
}

TEST_CASE("what is no time is not read as one") {
  for (const char* text :
       {"", "yesterday", "2026-02-30T00:00:00Z", "2026-01-31", "2026-01-31T12:00:00",
        "2026-1-31T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00+2:00", "2026-01-31T12:00:00ZZ",
        "+026-01-31T12:00:00Z", "2026-01-31T12:00:00Z "}) {
    INFO(text);
    CHECK_FALSE(parse_rfc3339(text));
  }
}

}  // namespace
}  // namespace pgc::kube
