#include "plugin/printers/server_table.h"

#include <algorithm>
#include <cctype>

#include "plugin/printers/table.h"
#include "plugin/printers/text.h"

namespace pgc::plugin {
namespace {

constexpr Spacing kKubectlGet{.gap = 3, .narrowest = 6};

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// kubectl shows the first line of a cell, and that there is more.
std::string first_line(const std::string& text) {
  const auto end = text.find_first_of("\f\n\r");
  return end == std::string::npos ? text : text.substr(0, end) + "...";
}

// One cell per column that is shown; `cell` gives that of the n-th column.
template <typename CellOf>
std::vector<Cell> line_of(const kube::Table& table, const ServerTableStyle& style, std::string ns,
                          const CellOf& cell) {
  std::vector<Cell> line;
  if (style.with_namespaces) line.emplace_back(printable(ns));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (style.wide || table.columns[i].priority == 0) line.emplace_back(printable(cell(i)));
  }
  return line;
}

}  // namespace

void print_server_table(const kube::Table& table, const ServerTableStyle& style,
                        std::ostream& out) {
  Table lines(line_of(table, style, "NAMESPACE",
                      [&](std::size_t i) { return in_capitals(table.columns[i].name); }));
  for (const kube::Row& row : table.rows) {
    lines.add(line_of(table, style, std::string(row.object.ns()),
                      [&](std::size_t i) { return first_line(row.cells[i]); }));
  }
  lines.print(out, "", kKubectlGet);
}

}  // namespace pgc::plugin
