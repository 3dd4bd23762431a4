#include "shared/schema/quantity.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>

using pgc::schema::Quantity;

namespace {

Quantity parsed(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  INFO(text);
  REQUIRE(quantity);
  return *quantity;
}

}  // namespace

TEST_CASE("a quantity is written in the form Kubernetes stores") {
  struct Case {
    std::string_view given;
    std::string_view canonical;
  };
  const Case cases[] = {
      {"0", "0"},
      {"10Gi", "10Gi"},
      {"1.5Gi", "1536Mi"},
      {"1024Ki", "1Mi"},
      {"1000.5Ki", "1024512"},
      {"0.5Ki", "512"},
      {"1.5", "1500m"},
      {"1000m", "1"},
      {"500m", "500m"},
      {"1000k", "1M"},
      {"1e3", "1e3"},
      {"1E-3", "1e-3"},
      {"12E", "9223372036854775807"},
      {"-1.5", "-1500m"},
      {"+5", "5"},
      {".5", "500m"},
      {"5.", "5"},
      {"0.1n", "1n"},
      {"1e-100", "1e-9"},
      {"1e100", "9223372036854775807"},
      {"0e99999999999", "0"},
      {"100Ei", "9223372036854775807"},
      {"0.000000000000000001Ei", "1152921505n"},
      {"0010", "10"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.given);
    CHECK(parsed(c.given).to_string() == c.canonical);
    CHECK(parsed(parsed(c.given).to_string()) == parsed(c.given));
  }
}

TEST_CASE("what is no quantity is refused") {
  for (std::string_view text : {"", "ten", "10GiB", "10 Gi", "Gi", ".", "+", "--1", "1e", "1e1.5",
                                "1ki", "1K", "1.2.3", "0x10", "1_000", "10gi", "1e+-3"}) {
    CAPTURE(text);
    CHECK_FALSE(Quantity::parse(text));
  }
  CHECK_FALSE(Quantity::parse(std::string(10'000, '1')));
}

TEST_CASE("quantities compare by amount, exactly") {
  CHECK(parsed("1Ki") == parsed("1024"));
  CHECK(parsed("1Gi") > parsed("1G"));
  CHECK(parsed("0.1") == parsed("100m"));
  CHECK(parsed("9223372036854775807") > parsed("9223372036854775806"));
  CHECK(parsed("-1") < Quantity());
  CHECK(Quantity::of(std::int64_t{10} << 30) == parsed("10Gi"));
}

TEST_CASE("the value of a quantity is rounded away from zero") {
  CHECK(parsed("1.5Gi").value() == std::int64_t{1536} << 20);
  CHECK(parsed("1m").value() == 1);
  CHECK(parsed("-1m").value() == -1);
  CHECK(parsed("1e30").value() == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("few digits and many are read alike") {
  for (std::string_view suffix :
       {"", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}) {
    for (std::string_view digits : {"0", "1", "7", "1000", "999999999", "1024"}) {
      const std::string few = std::string(digits) + std::string(suffix);
      CAPTURE(few);
      CHECK(parsed(few) == parsed("0000000000" + few));
      CHECK(parsed(few).to_string() == parsed("0000000000" + few).to_string());
      CHECK(parsed("-" + few) == parsed("-0000000000" + few));
    }
  }
}
