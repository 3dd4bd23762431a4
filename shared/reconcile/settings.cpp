#include "shared/reconcile/settings.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "shared/kube/object.h"
#include "shared/schema/structural/yaml.h"

namespace pgc::reconcile {
namespace {

std::expected<MajorImage, std::string> parse_image(const std::string& major,
                                                   const kube::Json& entry) {
  MajorImage result{.image = std::string(kube::string_at(entry, {"image"}))};
  if (result.image.empty()) {
    return std::unexpected("images." + major + ".image: must be the name of an image");
  }
  if (const kube::Json* tls = kube::find_at(entry, {"tls"})) {
    if (!tls->is_boolean()) {
      return std::unexpected("images." + major + ".tls: must be true or false");
    }
    result.tls = tls->get<bool>();
  }
  return result;
}

std::expected<void, std::string> parse_images(const kube::Json& document, Settings& settings) {
  const kube::Json* images = kube::find_at(document, {"images"});
  if (images == nullptr || !images->is_object() || images->empty()) {
    return std::unexpected(
        "images: must be a map from a PostgreSQL major, such as \"17\", to its image");
  }
  for (const auto& [major, entry] : images->items()) {
    const bool digits = !major.empty() && major.size() <= 2 &&
                        major.find_first_not_of("0123456789") == std::string::npos;
    if (!digits) return std::unexpected("images: \"" + major + "\" must be a major such as \"17\"");
    auto image = parse_image(major, entry);
    if (!image) return std::unexpected(image.error());
    settings.images[std::stoi(major)] = *image;
  }
  return {};
}

// A misspelt setting would be one that is left out.
std::expected<void, std::string> check_keys(const kube::Json& document) {
  constexpr std::array<std::string_view, 5> kKnown{"agentImage", "imagePullPolicy", "images",
                                                   "storageClass", "tls"};
  std::string names;
  for (const std::string_view name : kKnown) names.append(names.empty() ? "" : ", ").append(name);
  for (const auto& [key, value] : document.items()) {
    if (std::ranges::find(kKnown, key) != kKnown.end()) continue;
    return std::unexpected("unknown setting \"" + key + "\"; there are " + names);
  }
  return {};
}

std::expected<schema::TlsMode, std::string> parse_tls(std::string_view mode) {
  if (mode.empty() || mode == "Require") return schema::TlsMode::kRequire;
  if (mode == "Prefer") return schema::TlsMode::kPrefer;
  return std::unexpected("tls.mode: must be Require or Prefer, not \"" + std::string(mode) + "\"");
}

}  // namespace

std::expected<Settings, std::string> parse_settings(const std::string_view text) {
  const auto documents = schema::parse_yaml(text);
  if (!documents) {
    const int line = documents.error().line;
    return std::unexpected((line > 0 ? "line " + std::to_string(line) + ": " : "") +
                           documents.error().message);
  }
  if (documents->size() != 1 || !documents->front().value.is_object()) {
    return std::unexpected("must hold one map of settings");
  }
  const kube::Json& document = documents->front().value;
  if (auto known = check_keys(document); !known) return std::unexpected(known.error());
  Settings settings;
  if (auto images = parse_images(document, settings); !images) {
    return std::unexpected(images.error());
  }
  const auto tls = parse_tls(kube::string_at(document, {"tls", "mode"}));
  if (!tls) return std::unexpected(tls.error());
  settings.tls = *tls;
  settings.agent_image = kube::string_at(document, {"agentImage"});
  if (settings.agent_image.empty()) {
    return std::unexpected("agentImage: must be the name of an image");
  }
  settings.storage_class = kube::string_at(document, {"storageClass"});
  if (auto policy = kube::string_at(document, {"imagePullPolicy"}); !policy.empty()) {
    settings.image_pull_policy = policy;
  }
  return settings;
}

}  // namespace pgc::reconcile
