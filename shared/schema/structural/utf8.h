// Text as code points (RFC 3629: no surrogates, nothing written longer than needed). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pgc::schema {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // its bytes; 0: what begins here is no UTF-8
};

// Of a text that is not empty.
CodePoint first_code_point(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace pgc::schema
