// A resource as the API server prints it: the columns of `kubectl get`, which the server fills for
// any type, so that nobody here knows which ones a type has.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shared/json/reader.h"
#include "shared/kube/error.h"
#include "shared/kube/object.h"

namespace pgc::kube {

struct Column {
  std::string name;           // "Age"
  std::int64_t priority = 0;  // other than 0: for wide output only

  bool operator==(const Column&) const = default;
};

struct Row {
  std::vector<std::string> cells;  // one a column, in its order; empty where there is nothing
  Object object;                   // its metadata alone
};

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
};

struct TablePage {
  Table table;
  std::string next;  // what to ask on with; empty: that was all
};

// kMalformed for what is no table, also where a row has not a cell for each column. `request` is
// for the message: "GET /api/v1/…". Pure.
Result<TablePage> read_table(json::Reader& reader, std::string_view text, std::string_view request);

}  // namespace pgc::kube
