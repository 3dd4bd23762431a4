#include "shared/json/reader.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace pgc::json {
namespace {

using Json = nlohmann::json;

Json read(std::string_view text, const Shape& shape = whole()) {
  Reader reader;
  const auto document = reader.read(text, shape);
  REQUIRE(document.has_value());
  return *document;
}

std::string nested(int depth) {
  const auto n = static_cast<std::size_t>(depth);
  return std::string(n, '[') + std::string(n, ']');
}

TEST_CASE("a text is read as nlohmann reads it") {
  for (const char* text :
       {"{}", "[]", "null", "true", "\"a\\u00e4\\n\\u0000\"", "0", "1.0", "1e3", "-1.5e-7",
        "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        R"({"a": [1, {"b": null}, "x"], "a": {"c": 2}})", " \t\n{\"ä\": \"€\"} "}) {
    CAPTURE(text);
    const Json ours = read(text);
    const Json theirs = Json::parse(text);
    CHECK(ours == theirs);
    CHECK(ours.type() == theirs.type());
    CHECK(ours.dump() == theirs.dump());
  }
}

TEST_CASE("what is no JSON is refused, also where it would be passed over") {
  const Shape nothing{.others = false, .members = {}};
  Reader reader;
  for (const char* text :
       {"", " ", "{", "{\"a\": }", "{\"a\": tru}", "[1,]", "\"\xff\"", "\"\\ud800\"", "{} {}", "01",
        "{\"a\": \"b\nc\"}", "{\"a\": {\"b\": 1 2}}", "nul"}) {
    CAPTURE(text);
    CHECK(reader.read(text).error() == Failure::kNoJson);
    CHECK(reader.read(text, nothing).error() == Failure::kNoJson);
  }
}

TEST_CASE("an integer of more than 64 bits is not made into something else") {
  CHECK_FALSE(Reader().read("18446744073709551616").has_value());
}

TEST_CASE("brackets go as deep as is allowed, and no deeper") {
  Reader reader(66);
  CHECK(reader.read(nested(66)).has_value());
  CHECK(reader.read(nested(67)).error() == Failure::kTooDeep);
  CHECK(reader.read(nested(100'000)).error() == Failure::kTooDeep);
  CHECK(reader.read(nested(3)).has_value());
}

TEST_CASE("only what the shape names is kept, in lists item by item") {
  const Shape item{.others = false, .members = {{"name"}, {"port", false}}};
  const Shape shape{.members = {{"items", true, item}, {"secret", false}}};
  CHECK(
      read(
          R"({"items": [{"name": "a", "port": 1, "x": []}, 7], "secret": {"a": 1}, "b": {"c": 2}})",
          shape) == Json::parse(R"({"items": [{"name": "a"}, 7], "b": {"c": 2}})"));
}

TEST_CASE("a reader goes on after a bad text, a long one and a short one") {
  Reader reader;
  const std::string letters(300'000, 'x');
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(reader.read("[1]") == Json::array({1}));
    CHECK_FALSE(reader.read("[1").has_value());
    CHECK(reader.read("\"" + letters + "\"") == Json(letters));
  }
}

}  // namespace
}  // namespace pgc::json
