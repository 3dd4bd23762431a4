#include "shared/kube/table.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "shared/kube/answer.h"
#include "shared/kube/client.h"

namespace pgc::kube {
namespace {

const json::Shape& table_shape() {
  static const json::Shape shape{
      .members = {{.name = "rows",
                   .shape = {.members = {{.name = "object", .shape = object_shape(nullptr)}}}}}};
  return shape;
}

// As Go prints a cell: a number may stand where the column says that it is one.
std::string text_of(const Json& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

std::vector<Column> columns_of(const Json& definitions) {
  std::vector<Column> columns;
  for (const Json& definition : definitions) {
    columns.push_back({.name = std::string(string_at(definition, {"name"})),
                       .priority = int_at(definition, {"priority"})});
  }
  return columns;
}

std::optional<Row> row_of(Json& row, std::size_t columns) {
  const Json* cells = find_at(row, {"cells"});
  if (cells == nullptr || !cells->is_array() || cells->size() != columns) return std::nullopt;
  Row result;
  for (const Json& cell : *cells) result.cells.push_back(text_of(cell));
  const Json* object = find_at(row, {"object"});
  if (object != nullptr && object->is_object()) result.object = Object(std::move(row["object"]));
  return result;
}

bool is_list_or_null(const Json* value) {
  return value != nullptr && (value->is_array() || value->is_null());
}

std::optional<Table> table_of(Json& answer) {
  const bool is_table = string_at(answer, {"kind"}) == "Table" &&
                        is_list_or_null(find_at(answer, {"columnDefinitions"})) &&
                        is_list_or_null(find_at(answer, {"rows"}));
  if (!is_table) return std::nullopt;
  Table table{.columns = columns_of(answer["columnDefinitions"]), .rows = {}};
  for (Json& row : answer["rows"]) {
    auto read = row_of(row, table.columns.size());
    if (!read) return std::nullopt;
    table.rows.push_back(*std::move(read));
  }
  return table;
}

Error no_tables() {
  return {.kind = ErrorKind::kServerError, .message = "no tables are served here", .code = 501};
}

}  // namespace

Result<Table> TableReader::table(const ResourceType&, const ListOptions&) {
  return std::unexpected(no_tables());
}

Result<Table> TableReader::table(const ObjectRef&) {
  return std::unexpected(no_tables());
}

Result<TablePage> read_table(json::Reader& reader, std::string_view text,
                             std::string_view request) {
  auto answer = reader.read(text, table_shape());
  auto table = answer ? table_of(*answer) : std::nullopt;
  if (table) {
    return TablePage{.table = *std::move(table),
                     .next = std::string(string_at(*answer, {"metadata", "continue"}))};
  }
  return std::unexpected(
      Error{.kind = ErrorKind::kMalformed,
            .message = "the server answered " + std::string(request) + " with no table"});
}

}  // namespace pgc::kube
