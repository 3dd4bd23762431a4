#include "shared/schema/structural/go_text.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace pgc::schema;

TEST_CASE("texts are quoted as Go quotes them") {
  CHECK(go_quoted("a b") == R"("a b")");
  CHECK(go_quoted("a\"b\\c\n\t\x01\x7f") == R"("a\"b\\c\n\t\x01\x7f")");
  CHECK(go_quoted("föö 日本 😀") == "\"föö 日本 😀\"");
  CHECK(go_quoted("\u00a0\u2028\ufeff\U0010ffff") == R"("\u00a0\u2028\ufeff\U0010ffff")");
  CHECK(go_quoted("\xff") == R"("\xff")");
}

TEST_CASE("numbers are printed as Go prints them") {
  CHECK(go_number(3) == "3");
  CHECK(go_number(0.5) == "0.5");
  CHECK(go_number(1e6) == "1e+06");
  CHECK(go_number(123456) == "123456");
  CHECK(go_number(1e-5) == "1e-05");
  CHECK(go_number(-0.0) == "-0");
  CHECK(go_json(1e20) == "100000000000000000000");
  CHECK(go_json(1e21) == "1e+21");
  CHECK(go_json(1e-7) == "1e-7");
  CHECK(go_json(3.0) == "3");
}

TEST_CASE("JSON is written as Go writes it") {
  CHECK(go_json({{"b", "<&>"}, {"a", {1, nullptr}}}) ==
        R"({"a":[1,null],"b":"\u003c\u0026\u003e"})");
  CHECK(go_value({{"a", {1, "x"}}, {"b", nullptr}}) == "map[a:[1 x] b:<nil>]");
  CHECK(go_type(Json::object()) == "map[string]interface {}");
  CHECK(go_rune(97) == "a");
  CHECK(go_rune(0x20AC) == "€");
  CHECK(go_rune(-1) == "\uFFFD");
}
