#include "plugin/duration.h"

#include <catch2/catch_test_macros.hpp>
#include <string_view>

namespace pgc::plugin {
namespace {

using std::chrono::milliseconds;

TEST_CASE("durations are read as Go writes them") {
  struct Case {
    std::string_view text;
    std::int64_t want_ms;
  };
  for (const auto& [text, want_ms] :
       {Case{"90s", 90'000}, Case{"5m", 300'000}, Case{"1h30m", 5'400'000}, Case{"1.5m", 90'000},
        Case{"250ms", 250}, Case{"10", 10'000}, Case{"0", 0}, Case{"0s", 0}, Case{".5s", 500}}) {
    CAPTURE(text);
    CHECK(parse_duration(text) == milliseconds(want_ms));
  }
}

TEST_CASE("what is no duration is refused") {
  for (const std::string_view text : {"", "s", "5x", "5m3", "-5s", "1..5s", "5 m", "five", ".",
                                      "1e9h", "99999999999999999999999h"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text));
  }
}

}  // namespace
}  // namespace pgc::plugin
