#include "shared/schema/structural/crd.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/schema/structural/node.h"
#include "shared/schema/structural/yaml.h"

namespace pgc::schema {
namespace {

constexpr std::string_view kKind = "CustomResourceDefinition";

std::string text_at(const Json& object, std::string_view key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

std::vector<std::string> texts_at(const Json& object, std::string_view key) {
  std::vector<std::string> result;
  if (const Json* list = member(object, key)) {
    for (const Json& item : *list) {
      if (item.is_string()) result.push_back(item.get<std::string>());
    }
  }
  return result;
}

const Json* schema_of(const Json& version) {
  const Json* schema = member(version, "schema");
  return schema == nullptr ? nullptr : member(*schema, "openAPIV3Schema");
}

std::optional<ScalePaths> scale_of(const Json* subresources) {
  const Json* scale = subresources == nullptr ? nullptr : member(*subresources, "scale");
  if (scale == nullptr || !scale->is_object()) return std::nullopt;
  return ScalePaths{.spec_replicas = text_at(*scale, "specReplicasPath"),
                    .status_replicas = text_at(*scale, "statusReplicasPath"),
                    .label_selector = text_at(*scale, "labelSelectorPath")};
}

std::expected<CrdVersion, std::string> parse_version(const Json& version) {
  const std::string name = text_at(version, "name");
  if (name.empty()) return std::unexpected("spec.versions: each needs a name");
  const std::string where = "spec.versions[" + name + "]";
  const Json* open_api = schema_of(version);
  if (open_api == nullptr)
    return std::unexpected(where + ".schema.openAPIV3Schema: Required value");
  auto schema = Schema::compile(*open_api);
  if (!schema) return std::unexpected(where + ".schema." + schema.error());
  const Json* subresources = member(version, "subresources");
  return CrdVersion{
      .name = name,
      .served = has_flag(version, "served"),
      .storage = has_flag(version, "storage"),
      .has_status = subresources != nullptr && member(*subresources, "status") != nullptr,
      .scale = scale_of(subresources),
      .schema = *std::move(schema)};
}

std::expected<std::vector<CrdVersion>, std::string> parse_versions(const Json& spec) {
  const Json* versions = member(spec, "versions");
  if (versions == nullptr || !versions->is_array() || versions->empty()) {
    return std::unexpected("spec.versions: must list at least one version");
  }
  std::vector<CrdVersion> result;
  for (const Json& version : *versions) {
    auto parsed = parse_version(version);
    if (!parsed) return std::unexpected(parsed.error());
    result.push_back(*std::move(parsed));
  }
  return result;
}

}  // namespace

const CrdVersion* Crd::version(std::string_view name) const {
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [&](const CrdVersion& version) { return version.name == name; });
  return found == versions.end() ? nullptr : &*found;
}

std::expected<Crd, std::string> parse_crd(const Json& document) {
  if (text_at(document, "kind") != kKind) {
    return std::unexpected("kind: must be CustomResourceDefinition");
  }
  if (text_at(document, "apiVersion") != "apiextensions.k8s.io/v1") {
    return std::unexpected("apiVersion: must be apiextensions.k8s.io/v1");
  }
  const Json* spec = member(document, "spec");
  const Json* names = spec == nullptr ? nullptr : member(*spec, "names");
  if (names == nullptr) return std::unexpected("spec.names: Required value");
  auto versions = parse_versions(*spec);
  if (!versions) return std::unexpected(versions.error());
  Crd crd{.group = text_at(*spec, "group"),
          .kind = text_at(*names, "kind"),
          .plural = text_at(*names, "plural"),
          .short_names = texts_at(*names, "shortNames"),
          .namespaced = text_at(*spec, "scope") != "Cluster",
          .versions = *std::move(versions)};
  if (crd.group.empty()) return std::unexpected("spec.group: Required value");
  if (crd.kind.empty()) return std::unexpected("spec.names.kind: Required value");
  return crd;
}

std::expected<Crd, std::string> parse_crd_yaml(std::string_view text) {
  const auto documents = parse_yaml(text);
  if (!documents) {
    return std::unexpected("line " + std::to_string(documents.error().line) + ": " +
                           documents.error().message);
  }
  for (const YamlDocument& document : *documents) {
    if (text_at(document.value, "kind") == kKind) return parse_crd(document.value);
  }
  return std::unexpected("holds no CustomResourceDefinition");
}

}  // namespace pgc::schema
