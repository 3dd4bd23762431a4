// The file with the installation's settings, and whether it has become another one since. A file
// mounted from a ConfigMap changes about a minute after the ConfigMap.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "shared/reconcile/settings.h"

namespace pgc {

// One thread.
class SettingsFile {
 public:
  explicit SettingsFile(std::string path) : path_(std::move(path)) {}

  // The error says which file and what is wrong with it.
  std::expected<reconcile::Settings, std::string> read();

  // Nothing while the text is the one of the last call, right or wrong.
  std::optional<std::expected<reconcile::Settings, std::string>> read_if_changed();

 private:
  const std::string path_;
  std::string text_;
};

}  // namespace pgc
