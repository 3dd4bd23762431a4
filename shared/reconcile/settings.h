// What depends on the installation and not on one cluster: the operator's settings file as a value.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "shared/schema/postgres_cluster.h"

namespace pgc::reconcile {

struct MajorImage {
  std::string image;
  bool tls = true;  // the server in it was built with TLS
};

struct Settings {
  std::map<int, MajorImage> images;  // by PostgreSQL major
  std::string agent_image;
  std::string image_pull_policy = "IfNotPresent";
  schema::TlsMode tls = schema::TlsMode::kRequire;  // where a cluster does not say
  std::string storage_class;                        // empty: the cluster's default StorageClass
};

// Reads the text of settings.yaml. The error names the field and what would be right.
std::expected<Settings, std::string> parse_settings(std::string_view text);

}  // namespace pgc::reconcile
