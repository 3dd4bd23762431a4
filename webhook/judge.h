// One kind of object that the webhook judges: its name, its defaults, its verdict.
//
// PostgresCluster comes with all its rules; any other kind by its CRD alone (`--crd FILE`): the
// same engine, so that defaults and structure are the API server's own. Values; every function may
// be called from several threads.
#pragma once

#include <expected>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shared/schema/rules/rules.h"

namespace pgc::webhook {

using Json = nlohmann::json;

struct Judge {
  std::string group;
  std::string version;
  std::string kind;
  bool has_status = false;  // as a subresource: then the API server keeps it apart

  // Writes what is absent and has a default.
  std::function<void(Json& object)> apply_defaults;
  // `old` is null on CREATE. Both have their defaults.
  std::function<schema::Verdict(const Json& object, const Json* old)> check;
  // What a change that is allowed will cost, for the person who makes it. Empty: nobody can say.
  std::function<std::vector<std::string>(const Json& old, const Json& wanted)> cost_of;

  std::string api_version() const { return group + "/" + version; }
  // "/mutate-db-example-com-v1-postgrescluster", the path by which kubebuilder's tools know it too.
  std::string path(std::string_view verb) const;
};

const Judge& judge_of_postgres_clusters();

// One for each served version. The error names the field of the CRD at fault.
std::expected<std::vector<Judge>, std::string> judges_of_crd(std::string_view yaml);

}  // namespace pgc::webhook
