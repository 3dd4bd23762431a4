#include "operator/settings_file.h"

#include <fstream>
#include <sstream>

namespace pgc {
namespace {

std::optional<std::string> content(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::expected<reconcile::Settings, std::string> SettingsFile::read() {
  const auto text = content(path_);
  if (!text) return std::unexpected("cannot read " + path_);
  text_ = *text;
  auto settings = reconcile::parse_settings(text_);
  if (!settings) return std::unexpected(path_ + ": " + settings.error());
  return settings;
}

// A file that is away for a moment has not changed.
std::optional<std::expected<reconcile::Settings, std::string>> SettingsFile::read_if_changed() {
  const auto text = content(path_);
  if (!text || *text == text_) return std::nullopt;
  return read();
}

}  // namespace pgc
