#include "shared/kube/warning.h"

namespace pgc::kube {

std::optional<std::string> warning_text(std::string_view header) {
  constexpr std::string_view kStart = "299 ";
  if (!header.starts_with(kStart)) return std::nullopt;
  const auto quote = header.find('"', kStart.size());
  if (quote == std::string_view::npos) return std::nullopt;
  std::string text;
  for (std::size_t at = quote + 1; at < header.size(); ++at) {
    if (header[at] == '"') return text;
    if (header[at] == '\\' && at + 1 < header.size()) ++at;
    text += header[at];
  }
  return std::nullopt;  // the closing quote is missing
}

}  // namespace pgc::kube
