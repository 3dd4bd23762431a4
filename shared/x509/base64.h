// Base64 (RFC 4648, with padding), as the API carries the values of Secrets, CA bundles and
// patches.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pgc::x509 {

std::string to_base64(std::string_view bytes);
// Nothing where the text is no Base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace pgc::x509
