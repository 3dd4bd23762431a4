#include "shared/schema/structural/utf8.h"

namespace pgc::schema {
namespace {

struct Lead {
  std::size_t size;        // 0: no first byte
  std::uint32_t bits;      // of the first byte
  std::uint32_t smallest;  // what needs that many bytes
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {2, byte & 0x1FU, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0FU, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {4, byte & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
  if (lead.size > text.size()) return {};
  std::uint32_t value = lead.bits;
  for (std::size_t i = 1; i < lead.size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return {};
    value = (value << 6U) | (byte & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  if (value < lead.smallest || surrogate || value > 0x10FFFF) return {};
  return {value, lead.size};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = first_code_point(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace pgc::schema
