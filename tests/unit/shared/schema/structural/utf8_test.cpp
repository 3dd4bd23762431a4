#include "shared/schema/structural/utf8.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace pgc::schema {
namespace {

TEST_CASE("code points are taken one by one") {
  struct Case {
    std::string_view text;
    std::uint32_t value;
    std::size_t size;
  };
  const Case cases[] = {
      {"az", 'a', 1},
      {{"\0", 1}, 0, 1},
      {"\x7F", 0x7F, 1},
      {"\xC2\x80", 0x80, 2},
      {"\xDF\xBF.", 0x7FF, 2},
      {"\xE0\xA0\x80", 0x800, 3},
      {"\xEF\xBF\xBF", 0xFFFF, 3},
      {"\xF0\x90\x80\x80", 0x10000, 4},
      {"\xF4\x8F\xBF\xBF", 0x10FFFF, 4},
  };
  for (const Case& c : cases) {
    const CodePoint point = first_code_point(c.text);
    CAPTURE(c.value);
    CHECK(point.value == c.value);
    CHECK(point.size == c.size);
  }
}

TEST_CASE("what is no UTF-8 is no code point") {
  for (const std::string_view text : {
           "\x80",              // no first byte
           "\xC0\x80",          // longer than needed
           "\xC1\xBF",          //
           "\xE0\x9F\xBF",      //
           "\xF0\x8F\xBF\xBF",  //
           "\xED\xA0\x80",      // a surrogate
           "\xED\xBF\xBF",      //
           "\xF4\x90\x80\x80",  // beyond the last one
           "\xF5\x80\x80\x80",  //
           "\xFF",              //
           "\xC2",              // cut short
           "\xE2\x82",          //
           "\xE2\x28\xA1",      // another character in it
       }) {
    CHECK(first_code_point(text).size == 0);
    CHECK_FALSE(is_utf8(text));
    CHECK_FALSE(is_utf8("before" + std::string(text)));
  }
}

TEST_CASE("a text is UTF-8 to its end") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("plain"));
  CHECK(is_utf8("gr\xC3\xBC\xC3\x9F \xF0\x9F\x90\x98"));
}

}  // namespace
}  // namespace pgc::schema
