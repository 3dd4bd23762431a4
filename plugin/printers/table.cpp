#include "plugin/printers/table.h"

#include <algorithm>
#include <ostream>

#include "plugin/printers/text.h"

namespace pgc::plugin {
namespace {

const std::string& shown(const Cell& cell) {
  return cell.painted.empty() ? cell.text : cell.painted;
}

void print_row(std::ostream& out, const std::vector<Cell>& row,
               const std::vector<std::size_t>& widths) {
  std::size_t owed = 0;  // blanks that are due once another cell follows
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!row[i].text.empty()) {
      out << std::string(owed, ' ') << shown(row[i]);
      owed = 0;
    }
    owed += widths[i] - width(row[i].text);
  }
}

}  // namespace

std::vector<std::size_t> Table::widths(Spacing spacing) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()), spacing.narrowest);
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i].text) + spacing.gap);
  }
  return widths;
}

void Table::print(std::ostream& out, const std::string& indent, Spacing spacing) const {
  const auto columns = widths(spacing);
  for (const auto& row : rows_) {
    out << indent;
    print_row(out, row, columns);
    out << '\n';
  }
}

}  // namespace pgc::plugin
