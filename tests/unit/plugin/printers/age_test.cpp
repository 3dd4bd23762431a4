#include "plugin/printers/age.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::plugin {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_CASE("durations are as short as kubectl's") {
  struct Case {
    seconds given;
    const char* want;
  };
  for (const auto& [given, want] :
       {Case{seconds(-5), "<invalid>"}, Case{seconds(-1), "0s"}, Case{seconds(0), "0s"},
        Case{seconds(119), "119s"}, Case{seconds(120), "2m"}, Case{seconds(200), "3m20s"},
        Case{minutes(10), "10m"}, Case{minutes(179), "179m"}, Case{minutes(190), "3h10m"},
        Case{hours(8), "8h"}, Case{hours(47), "47h"}, Case{hours(49), "2d1h"}, Case{days(8), "8d"},
        Case{days(729), "729d"}, Case{days(800), "2y70d"}, Case{days(365 * 9), "9y"}}) {
    CAPTURE(given.count());
    CHECK(human_duration(given) == want);
  }
}

TEST_CASE("an age needs a time") {
  const auto noon = std::chrono::sys_days(std::chrono::August / 21 / 2026) + hours(12);
  CHECK(age("2026-08-21T11:58:30Z", noon) == "90s");
  for (const char* text : {"", "yesterday", "2026-02-30T00:00:00Z"}) {
    CHECK(age(text, noon) == "<unknown>");
  }
}

TEST_CASE("bytes are rounded down to what can be read") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1 KiB");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_bytes(std::int64_t{16} << 20) == "16 MiB");
  CHECK(human_bytes((std::int64_t{10} << 30) - 1) == "9.9 GiB");
}

}  // namespace
}  // namespace pgc::plugin
