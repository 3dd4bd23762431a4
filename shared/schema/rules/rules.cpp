#include "shared/schema/rules/rules.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

#include "embedded/postgrescluster_crd.h"
#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"
#include "shared/schema/structural/default.h"
#include "shared/schema/structural/prune.h"
#include "shared/schema/structural/validate.h"

namespace pgc::schema {
namespace {

constexpr std::array kConcerns = {
    check_name,       check_generated_name, check_version, check_storage, check_resources,
    check_parameters, check_relations,      check_wal,     check_memory};

// An unchanged spec was judged when it was written. Judging it anew would let a stricter version of
// ourselves refuse changes of labels and the removal of finalizers.
bool spec_unchanged(const Json& object, const Json* old) {
  if (old == nullptr) return false;
  const Json* now = find(object, {"spec"});
  const Json* before = find(*old, {"spec"});
  return now != nullptr && before != nullptr && *now == *before;
}

// The file is part of the program and its test compiles it, so that this cannot fail in one that
// was tested.
Crd read_embedded() {
  auto crd = parse_crd_yaml(postgrescluster_crd());
  if (!crd) {
    std::fprintf(stderr, "the embedded CRD is unusable: %s\n", crd.error().c_str());
    std::abort();
  }
  return *std::move(crd);
}

}  // namespace

Verdict check(const Json& object, const Json* old) {
  std::vector<FieldError> structural = validate(postgrescluster_schema(), object, old);
  Verdict verdict = check_rules(object, old);
  std::ranges::move(verdict.errors, std::back_inserter(structural));
  verdict.errors = std::move(structural);
  return verdict;
}

Verdict check_rules(const Json& object, const Json* old) {
  Verdict verdict;
  if (spec_unchanged(object, old)) return verdict;
  const GivenParameters parameters(object);
  const Change change{object, old, parameters};
  for (const auto concern : kConcerns) concern(change, verdict);
  return verdict;
}

void warn(Verdict& verdict, const FieldPath& path, std::string_view text) {
  constexpr std::size_t kMost = 120;
  std::string warning = path.to_string() + ": " + std::string(text);
  if (warning.size() > kMost) warning.replace(kMost - 3, std::string::npos, "...");
  verdict.warnings.push_back(std::move(warning));
}

void apply_defaults(Json& object) {
  apply_defaults(postgrescluster_schema(), object);
}

std::vector<std::string> unknown_fields(const Json& object) {
  return unknown_fields(postgrescluster_schema(), object);
}

std::string_view postgrescluster_crd() {
  return embedded::postgrescluster_crd;
}

const Crd& postgrescluster_definition() {
  static const Crd crd = read_embedded();
  return crd;
}

const Schema& postgrescluster_schema() {
  return postgrescluster_definition().versions.front().schema;
}

}  // namespace pgc::schema
