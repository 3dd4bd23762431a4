#include "shared/schema/rules/characters.h"

#include <cstdint>

#include "shared/schema/structural/utf8.h"

namespace pgc::schema {
namespace {

bool is_clean(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;  // C0, DEL, C1
  if (code == 0x2028 || code == 0x2029) return false;              // YAML folds them as line breaks
  if (code == 0xFEFF) return false;                                // a byte order mark
  return code != 0xFFFE && code != 0xFFFF;
}

}  // namespace

bool is_one_clean_line(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (point.size == 0 || !is_clean(point.value)) return false;
    text.remove_prefix(point.size);
  }
  return true;
}

}  // namespace pgc::schema
