#include "shared/kube/table.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/kube/answer.h"

namespace pgc::kube {
namespace {

Result<TablePage> read(const std::string& text) {
  json::Reader reader = answer_reader();
  return read_table(reader, text, "GET /x");
}

std::string table_with(const std::string& row) {
  return R"({"kind":"Table","columnDefinitions":[{"name":"Name","type":"string","priority":0},)"
         R"({"name":"Ready","type":"integer","priority":1}],"rows":[)" +
         row + "]}";
}

TEST_CASE("a table has columns, rows of texts and what to ask on with") {
  const auto page = read(
      R"({"kind":"Table","metadata":{"continue":"more"},"columnDefinitions":[{"name":"Name"},)"
      R"({"name":"N","priority":1}],"rows":[{"cells":["a",3],"object":{"metadata":{"namespace":"x",)"
      R"("managedFields":[1]}}},{"cells":[null,0.5]},{"cells":["c",true],"object":null}]})");
  REQUIRE(page);
  CHECK(page->next == "more");
  CHECK(page->table.columns == std::vector<Column>{{"Name", 0}, {"N", 1}});
  const auto& rows = page->table.rows;
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].cells == std::vector<std::string>{"a", "3"});
  CHECK(rows[0].object.json() == Json{{"metadata", {{"namespace", "x"}}}});
  CHECK(rows[1].cells == std::vector<std::string>{"", "0.5"});
  CHECK(rows[2].cells == std::vector<std::string>{"c", "true"});
  CHECK(rows[2].object.ns().empty());
}

TEST_CASE("a table may have no rows, but what is no table is not an empty one") {
  CHECK(read(table_with(""))->table.rows.empty());
  CHECK(read(R"({"kind":"Table","columnDefinitions":null,"rows":null})")->table.columns.empty());
  for (const std::string& text :
       {std::string(), std::string("<html>"), std::string("{}"), std::string("[]"),
        std::string(R"({"kind":"PodList","items":[]})"), std::string(R"({"kind":"Table"})"),
        std::string(R"({"kind":"Table","columnDefinitions":[],"rows":{}})"), table_with("7"),
        table_with("{}"), table_with(R"({"cells":"ab"})"), table_with(R"({"cells":["a"]})"),
        table_with(R"({"cells":["a",1,2]})")}) {
    CAPTURE(text);
    const auto page = read(text);
    REQUIRE_FALSE(page);
    CHECK(page.error().is(ErrorKind::kMalformed));
    CHECK(page.error().message == "the server answered GET /x with no table");
  }
}

}  // namespace
}  // namespace pgc::kube
