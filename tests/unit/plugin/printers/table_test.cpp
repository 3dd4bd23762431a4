#include "plugin/printers/table.h"

#include <catch2/catch_test_macros.hpp>
#include <sstream>

namespace pgc::plugin {
namespace {

std::string printed(const Table& table) {
  std::ostringstream out;
  table.print(out, "  ");
  return out.str();
}

TEST_CASE("columns are aligned, and no line ends with blanks") {
  Table table({"NAME", "ROLE", "NOTE"});
  table.add({"my-db-1", "primary", ""});
  table.add({"ü", "", "last"});
  CHECK(printed(table) ==
        "  NAME     ROLE     NOTE\n"
        "  my-db-1  primary\n"
        "  ü                 last\n");
}

TEST_CASE("colours take no column") {
  Table table({"A", "B"});
  table.add({Cell("yes", "\x1b[32myes\x1b[0m"), "1"});
  table.add({"no", "2"});
  CHECK(printed(table) == "  A    B\n  \x1b[32myes\x1b[0m  1\n  no   2\n");
}

}  // namespace
}  // namespace pgc::plugin
