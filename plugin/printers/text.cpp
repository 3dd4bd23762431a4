#include "plugin/printers/text.h"

namespace pgc::plugin {
namespace {

// The second byte of U+0080 to U+009F in UTF-8; some terminals obey them as they obey ESC.
bool is_c1(std::string_view text, std::size_t at) {
  if (static_cast<unsigned char>(text[at]) != 0xC2 || at + 1 >= text.size()) return false;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  return second >= 0x80 && second <= 0x9F;
}

std::string caret(char c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return " ";
  return {'^', static_cast<char>(c ^ 0x40)};
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_c1(text, i)) {
      result += "^?";
      ++i;
    } else if (is_control(text[i])) {
      result += caret(text[i]);
    } else {
      result += text[i];
    }
  }
  return result;
}

std::size_t width(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++count;
  }
  return count;
}

std::string Palette::wrap(std::string_view code, std::string_view text) const {
  if (!colour_ || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace pgc::plugin
