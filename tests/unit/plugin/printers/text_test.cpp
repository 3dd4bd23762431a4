#include "plugin/printers/text.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace pgc::plugin {
namespace {

TEST_CASE("control characters are made visible") {
  CHECK(printable("plain ü €") == "plain ü €");
  CHECK(printable("\x1b[31mred") == "^[[31mred");
  CHECK(printable("a\nb\rc\td") == "a\\nb\\rc d");
  CHECK(printable(std::string("\0\x7f", 2)) == "^@^?");
  CHECK(printable("\xC2\x9B"
                  "31m") == "^?31m");  // CSI in one character
  CHECK(printable("\xC2") == "\xC2");
}

TEST_CASE("a character is one column, however many bytes it has") {
  CHECK(width("abc") == 3);
  CHECK(width("ü€") == 2);
}

TEST_CASE("a palette without colour leaves text alone") {
  CHECK(Palette(false).bad("x") == "x");
  CHECK(Palette(true).bad("x") == "\x1b[31mx\x1b[0m");
  CHECK(Palette(true).bold("").empty());
}

}  // namespace
}  // namespace pgc::plugin
