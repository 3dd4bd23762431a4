#include "shared/schema/rules/characters.h"

#include <cstddef>
#include <cstdint>

namespace pgc::schema {
namespace {

constexpr std::uint32_t kBad = 0xFFFFFFFF;

struct Lead {
  std::size_t more;        // bytes that follow
  std::uint32_t bits;      // of the first byte
  std::uint32_t smallest;  // what needs that many bytes
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {0, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {1, byte & 0x1FU, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {2, byte & 0x0FU, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {3, byte & 0x07U, 0x10000};
  return {0, kBad, 0};
}

// Takes one character; kBad where the bytes are no UTF-8.
std::uint32_t take(std::string_view& text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
  if (lead.bits == kBad || lead.more >= text.size()) return kBad;
  std::uint32_t code = lead.bits;
  for (std::size_t i = 1; i <= lead.more; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return kBad;
    code = (code << 6U) | (byte & 0x3FU);
  }
  text.remove_prefix(lead.more + 1);
  return code < lead.smallest || code > 0x10FFFF ? kBad : code;
}

bool is_clean(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;  // C0, DEL, C1
  if (code == 0x2028 || code == 0x2029) return false;              // YAML folds them as line breaks
  if (code == 0xFEFF) return false;                                // a byte order mark
  return !(code >= 0xD800 && code < 0xE000) && code != 0xFFFE && code != 0xFFFF && code != kBad;
}

}  // namespace

bool is_one_clean_line(std::string_view text) {
  while (!text.empty()) {
    if (!is_clean(take(text))) return false;
  }
  return true;
}

}  // namespace pgc::schema
