#include "shared/schema/structural/json_text.h"

#include <catch2/catch_test_macros.hpp>

using namespace pgc::schema;

TEST_CASE("numbers are read as the API server reads them") {
  const auto document = parse_json("[1, -1, 9223372036854775807, 9223372036854775808, 3.0]");
  REQUIRE(document);
  CHECK(document->value[0].is_number_integer());
  CHECK(document->value[2] == 9223372036854775807);
  CHECK(document->value[3].is_number_float());
  CHECK(document->value[4].is_number_float());
}

TEST_CASE("a field that stands twice is told, and the last one counts") {
  const auto document =
      parse_json(R"({"a": {"x": 1, "x": 2}, "l": [0, {"y": 1, "y": 1, "y": 3}], "a": {"z": 1}})");
  REQUIRE(document);
  CHECK(document->value.dump() == R"({"a":{"z":1},"l":[0,{"y":3}]})");
  CHECK(document->duplicates == std::vector<std::string>{"duplicate field \"a.x\"",
                                                         "duplicate field \"l[1].y\"",
                                                         "duplicate field \"a\""});
}

TEST_CASE("broken UTF-8 becomes U+FFFD") {
  const auto document = parse_json("{\"a\": \"x\xff\xc3(\"}");
  REQUIRE(document);
  CHECK(document->value["a"] == "x\uFFFD\uFFFD(");
}

TEST_CASE("what is no JSON, or too deep, is an error with its place") {
  CHECK(parse_json("{\"a\": }").error().starts_with("at byte 7: "));
  CHECK(parse_json("").error().starts_with("at byte 1: "));
  CHECK(parse_json(std::string(100, '['), 64).error() == "nested deeper than 64 levels");
  CHECK(parse_json("{} {}").error().starts_with("at byte 4: "));
}
