#include "tests/fuzz/property.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace pgc::fuzz {

void must(bool holds, std::string_view property, std::string_view found) {
  if (holds) return;
  std::fprintf(stderr, "PROPERTY DOES NOT HOLD: %.*s\nfound: %.*s\n",
               static_cast<int>(property.size()), property.data(),
               static_cast<int>(std::min<std::size_t>(found.size(), 4096)), found.data());
  std::abort();
}

void must_be_a_warning(const std::string& text, std::size_t longest) {
  must(!text.empty() && text.size() <= longest, "a warning is short and not empty", text);
  const bool clean =
      std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  must(clean, "a warning holds no control character", text);
}

}  // namespace pgc::fuzz
