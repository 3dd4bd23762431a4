#include "webhook/judge.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/reconcile/impact.h"
#include "shared/schema/postgres_cluster.h"
#include "shared/schema/structural/default.h"
#include "shared/schema/structural/validate.h"

namespace pgc::webhook {

namespace {

std::string as_path_segment(std::string text) {
  std::ranges::replace(text, '.', '-');
  std::ranges::transform(text, text.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

// Changes of the spec are over once the object goes; metadata never comes here (review.cpp).
void refuse_while_deleted(const Json& object, const Json* old, schema::Verdict& verdict) {
  if (old == nullptr || !object.contains("metadata")) return;
  const Json& metadata = object.at("metadata");
  if (!metadata.is_object() || !metadata.contains("deletionTimestamp")) return;
  verdict.errors.push_back(schema::forbidden(
      schema::FieldPath("spec"),
      "the object is being deleted; only its labels, annotations and finalizers may change"));
}

schema::Verdict check_postgres_cluster(const Json& object, const Json* old) {
  schema::Verdict verdict = schema::check(object, old);
  refuse_while_deleted(object, old, verdict);
  return verdict;
}

// What the old object's values were it cannot always be told: it was stored under the rules of its
// time. Then there is nothing to compare, and nothing to say.
std::vector<std::string> cost_of_change(const Json& old, const Json& wanted) {
  try {
    return reconcile::warnings_of(
        reconcile::impact(schema::values_of(old), schema::values_of(wanted)));
  } catch (const std::exception&) {
    return {};
  }
}

Judge judge_of(const schema::Crd& crd, const schema::CrdVersion& version) {
  return {.group = crd.group,
          .version = version.name,
          .kind = crd.kind,
          .has_status = version.has_status,
          .apply_defaults =
              [schema = version.schema](Json& object) { schema::apply_defaults(schema, object); },
          .check =
              [schema = version.schema](const Json& object, const Json* old) {
                return schema::Verdict{.errors = schema::validate(schema, object, old),
                                       .warnings = {}};
              },
          .cost_of = nullptr};
}

}  // namespace

std::string Judge::path(std::string_view verb) const {
  return "/" + std::string(verb) + "-" + as_path_segment(group) + "-" + version + "-" +
         as_path_segment(kind);
}

const Judge& judge_of_postgres_clusters() {
  static const Judge judge{.group = "db.example.com",
                           .version = "v1",
                           .kind = "PostgresCluster",
                           .has_status = true,
                           .apply_defaults = [](Json& object) { schema::apply_defaults(object); },
                           .check = check_postgres_cluster,
                           .cost_of = cost_of_change};
  return judge;
}

std::expected<std::vector<Judge>, std::string> judges_of_crd(std::string_view yaml) {
  const auto crd = schema::parse_crd_yaml(yaml);
  if (!crd) return std::unexpected(crd.error());
  std::vector<Judge> judges;
  for (const auto& version : crd->versions) {
    if (version.served) judges.push_back(judge_of(*crd, version));
  }
  return judges;
}

}  // namespace pgc::webhook
