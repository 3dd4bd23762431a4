// Columns of text, aligned as kubectl aligns them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace pgc::plugin {

// A cell as it is shown, and with colours around it: they take no column.
struct Cell {
  std::string text;
  std::string painted;  // empty: `text`

  Cell(std::string plain) : text(std::move(plain)) {}  // NOLINT(google-explicit-constructor)
  Cell(const char* plain) : text(plain) {}             // NOLINT(google-explicit-constructor)
  Cell(std::string plain, std::string coloured)
      : text(std::move(plain)), painted(std::move(coloured)) {}
};

struct Spacing {
  std::size_t gap = 2;        // blanks behind the longest cell of a column
  std::size_t narrowest = 0;  // of a column, with its gap
};

class Table {
 public:
  explicit Table(std::vector<Cell> header) { add(std::move(header)); }

  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  // Each line begins with `indent` and ends without blanks.
  void print(std::ostream& out, const std::string& indent, Spacing spacing = {}) const;

 private:
  // With the gaps.
  std::vector<std::size_t> widths(Spacing spacing) const;

  std::vector<std::vector<Cell>> rows_;
};

}  // namespace pgc::plugin
