// Text for a terminal: what the server says made harmless, and colours where they are wanted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pgc::plugin {

// Control characters in visible form (ESC as ^[, a line break as \n), so that no object in the
// cluster can drive the terminal of whoever looks at it.
std::string printable(std::string_view text);

// Columns that the text takes: its code points.
std::size_t width(std::string_view text);

// Wraps text in colours, or leaves it alone.
class Palette {
 public:
  explicit Palette(bool colour) : colour_(colour) {}

  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string good(std::string_view text) const { return wrap("32", text); }
  std::string doubtful(std::string_view text) const { return wrap("33", text); }
  std::string bad(std::string_view text) const { return wrap("31", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const;

  bool colour_;
};

}  // namespace pgc::plugin
