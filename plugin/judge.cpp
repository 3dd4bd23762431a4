#include "plugin/judge.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "shared/kube/object.h"
#include "shared/reconcile/impact.h"
#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/admission.h"
#include "shared/schema/structural/suggest.h"

namespace pgc::plugin {
namespace {

using kube::string_at;
using schema::Json;

constexpr const kube::ResourceType& kOurs = kube::kPostgresClusters;

// "apps/v1" is group and version; "v1" has the empty group.
std::pair<std::string, std::string> group_and_version(const std::string& api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

std::string key_of(std::string_view kind, std::string_view group) {
  return std::string(kind) + "." + std::string(group);
}

Judgement about(const Manifest& manifest) {
  const auto text = [&](std::initializer_list<std::string_view> path) {
    return std::string(string_at(manifest.value, path));
  };
  Judgement judgement;
  judgement.file = manifest.file;
  judgement.line = manifest.line();
  judgement.api_version = text({"apiVersion"});
  judgement.kind = text({"kind"});
  judgement.ns = text({"metadata", "namespace"});
  judgement.name = text({"metadata", "name"});
  return judgement;
}

// What makes two manifests the same object, but for the namespace. The version is not part of it.
std::string identity(const Judgement& of) {
  const auto [group, version] = group_and_version(of.api_version);
  return key_of(of.kind, group) + "/" + of.name;
}

std::string served_versions(const std::string& group, const schema::Crd& crd) {
  std::string list;
  for (const schema::CrdVersion& version : crd.versions) {
    if (version.served) list += (list.empty() ? "" : ", ") + group + "/" + version.name;
  }
  return list;
}

void refuse_version(const Manifest& manifest, const std::string& wanted, Judgement& judgement) {
  judgement.errors.push_back({manifest.line_of("apiVersion"), "apiVersion", "NotFound",
                              "no matches for kind \"" + judgement.kind + "\" in version \"" +
                                  judgement.api_version + "\"; want " + wanted});
}

// `unknown field "spec.foo"` without its words.
std::string quoted(const std::string& text) {
  const std::size_t begin = text.find('"') + 1;
  return text.substr(begin, text.rfind('"') - begin);
}

// What strict validation refuses, before anything else is looked at.
void add_strict(const schema::Schema& schema, const std::vector<std::string>& unknown,
                const Manifest& manifest, Judgement& judgement) {
  for (const schema::DuplicateField& duplicate : manifest.duplicates) {
    judgement.errors.push_back(
        {duplicate.line, duplicate.field, "DuplicateField", "stands twice; leave one of them out"});
  }
  for (const std::string& text : unknown) {
    const std::string field = quoted(text);
    std::string message = "unknown field";
    if (const auto meant = schema::suggest_field(schema, field)) {
      message += ", did you mean " + *meant + "?";
    }
    judgement.errors.push_back({manifest.line_of(field), field, "UnknownField", message});
  }
}

void add_errors(const std::vector<schema::FieldError>& errors, const Manifest& manifest,
                Judgement& judgement) {
  for (const schema::FieldError& error : errors) {
    judgement.errors.push_back({manifest.line_of(error.field), error.field,
                                std::string(reason(error.type)), message(error)});
  }
}

// A warning begins with the field that it is about, where it is about one.
void add_warnings(const std::vector<std::string>& warnings, const Manifest& manifest,
                  Judgement& judgement) {
  for (const std::string& warning : warnings) {
    const std::size_t colon = warning.find(": ");
    const bool has_field = warning.starts_with("spec.") && colon != std::string::npos;
    const std::string field = has_field ? warning.substr(0, colon) : "";
    judgement.warnings.push_back(
        {manifest.line_of(field), field, "", has_field ? warning.substr(colon + 2) : warning});
  }
}

// What the change would cost the members, where both objects are right.
std::vector<std::string> costs(const Json& old, const Json& object) {
  const auto before = schema::parse_postgres_cluster(old);
  const auto after = schema::parse_postgres_cluster(object);
  if (!before || !after) return {};
  return reconcile::warnings_of(reconcile::impact(*before, *after));
}

// What only the rules of PostgresCluster say.
void add_rules(const schema::Admitted& admitted, const Json* stored, const Manifest& manifest,
               Judgement& judgement) {
  schema::Verdict verdict;
  if (stored == nullptr) {
    verdict = schema::check_rules(admitted.object);
  } else {
    Json old = *stored;
    schema::apply_defaults(old);
    verdict = schema::check_rules(admitted.object, &old);
    std::ranges::move(costs(old, admitted.object), std::back_inserter(verdict.warnings));
  }
  add_errors(verdict.errors, manifest, judgement);
  add_warnings(verdict.warnings, manifest, judgement);
}

void sort_by_line(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {}, &Finding::line);
}

}  // namespace

Judge::Judge() {
  crds_.emplace(key_of(kOurs.kind, kOurs.group), schema::postgrescluster_definition());
}

std::expected<void, Unreadable> Judge::add_crds(const std::vector<Manifest>& manifests) {
  for (const Manifest& manifest : manifests) {
    auto crd = schema::parse_crd(manifest.value);
    if (!crd) {
      return std::unexpected(Unreadable{manifest.file, manifest.line(),
                                        "no usable CustomResourceDefinition: " + crd.error()});
    }
    if (crd->kind == kOurs.kind && crd->group == kOurs.group) continue;  // ours comes with rules
    crds_.insert_or_assign(key_of(crd->kind, crd->group), *std::move(crd));
  }
  return {};
}

void Judge::add_old(const std::vector<Manifest>& manifests) {
  for (const Manifest& manifest : manifests) {
    old_.emplace(identity(about(manifest)), manifest.value);
  }
}

// A manifest without a namespace takes that of whoever applies it, which nobody knows here: it is
// the object of its name, where there is only one.
const Json* Judge::old_of(const Judgement& judgement) const {
  const auto [first, last] = old_.equal_range(identity(judgement));
  const Json* found = nullptr;
  for (auto old = first; old != last; ++old) {
    if (string_at(old->second, {"metadata", "namespace"}) == judgement.ns) found = &old->second;
  }
  const bool only_one = std::distance(first, last) == 1;
  return found == nullptr && judgement.ns.empty() && only_one ? &first->second : found;
}

void Judge::judge_by(const schema::Crd& crd, const Manifest& manifest, Judgement& judgement) const {
  const auto [group, name] = group_and_version(judgement.api_version);
  const schema::CrdVersion* version = crd.version(name);
  if (version == nullptr || !version->served) {
    return refuse_version(manifest, served_versions(group, crd), judgement);
  }
  const Json* old = old_of(judgement);
  const schema::Admitted admitted = schema::admit(crd, *version, manifest.value, old);
  if (admitted.unreadable) {
    judgement.errors.push_back({judgement.line, {}, "BadRequest", *admitted.unreadable});
    return;
  }
  add_strict(version->schema, admitted.strict, manifest, judgement);
  add_errors(admitted.errors, manifest, judgement);
  if (judgement.kind == kOurs.kind && group == kOurs.group) {
    add_rules(admitted, old, manifest, judgement);
  } else {
    judgement.unchecked_rules = version->schema.rule_count();
  }
}

Judgement Judge::judge(const Manifest& manifest) const {
  Judgement judgement = about(manifest);
  const auto [group, version] = group_and_version(judgement.api_version);
  const auto crd = crds_.find(key_of(judgement.kind, group));
  if (crd == crds_.end()) {
    judgement.verdict = Verdict::kSkipped;
    return judgement;
  }
  judge_by(crd->second, manifest, judgement);
  if (!judgement.errors.empty()) judgement.verdict = Verdict::kInvalid;
  sort_by_line(judgement.errors);
  sort_by_line(judgement.warnings);
  return judgement;
}

}  // namespace pgc::plugin
