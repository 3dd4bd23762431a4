#include "shared/reconcile/fingerprint.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using nlohmann::json;
using pgc::reconcile::fingerprint;

namespace {

// As the header defines it, over the text itself.
std::string defined(const json& document) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : document.dump()) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

}  // namespace

TEST_CASE("a fingerprint depends on the content alone") {
  CHECK(fingerprint(json::parse(R"({"a": 1, "b": [2]})")) ==
        fingerprint(json::parse(R"({ "b":[2], "a":1 })")));
  CHECK(fingerprint(json::parse(R"({"a": 1})")) != fingerprint(json::parse(R"({"a": "1"})")));
  // A promise to later versions: another hash for the same content would write every object anew.
  CHECK(fingerprint(json::parse(R"({"a": 1})")) == "9c3e82dd6fcae8b1");
  CHECK(fingerprint(json::object()) == "08f44b07b5901a25");
}

TEST_CASE("a fingerprint is that of the text") {
  for (const char* text :
       {"{}", "[]", "null", "true", "-1", "18446744073709551615", "1.5", "1e300", R"("")",
        R"({"a":{},"b":[],"c":[[],{}],"":null})", R"([1,"two",[3,{"four":4}],false])",
        R"({"quote\"d":"a\\b","lines":"one\ntwo\ttab\u0001\u001f\u007f"})",
        R"({"gr\u00f6\u00dfe":"\u65e5\u672c \ud83d\ude00"})"}) {
    CAPTURE(text);
    CHECK(fingerprint(json::parse(text)) == defined(json::parse(text)));
  }
}
