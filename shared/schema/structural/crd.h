// A CustomResourceDefinition, read far enough to judge objects of it.
//
// Crd and Schema are values that share their immutable insides: cheap to copy, safe to use from
// several threads at once. Nothing here does I/O or knows a particular resource.
#pragma once

#include <expected>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgc::schema {

using Json = nlohmann::json;

// The compiled openAPIV3Schema of one version.
class Schema {
 public:
  // What is wrong with the schema is said with the path inside it.
  static std::expected<Schema, std::string> compile(const Json& open_api_schema);

  struct Compiled;  // structural/compiled.h, for the files of this folder
  const Compiled& compiled() const { return *compiled_; }

  // How many CEL rules it has. They are not interpreted.
  std::size_t rule_count() const;

 private:
  explicit Schema(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

// Where the fields of the scale subresource stand: `.spec.replicas`.
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;  // empty: none
};

struct CrdVersion {
  std::string name;
  bool served = false;
  bool storage = false;
  bool has_status = false;  // the status subresource: else status is a field like any other
  std::optional<ScalePaths> scale;
  Schema schema;
};

struct Crd {
  std::string group;
  std::string kind;
  std::string plural;
  std::vector<std::string> short_names;
  bool namespaced = true;
  std::vector<CrdVersion> versions;

  // Null where there is no such version; the pointer lives as long as the Crd.
  const CrdVersion* version(std::string_view name) const;
};

// Reads a CustomResourceDefinition of apiextensions.k8s.io/v1. The error names the field at fault.
std::expected<Crd, std::string> parse_crd(const Json& document);
std::expected<Crd, std::string> parse_crd_yaml(std::string_view text);

}  // namespace pgc::schema
