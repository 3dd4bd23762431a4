// Secret bytes of the operator's making.
#pragma once

#include <expected>
#include <string>

namespace pgc {

// 32 letters and digits from OpenSSL's random generator, about 190 bits; nothing in it needs
// quoting in a URI, in SQL or in a shell. The error is one line.
std::expected<std::string, std::string> make_password();

}  // namespace pgc
