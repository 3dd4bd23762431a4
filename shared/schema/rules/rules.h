// The verdict on a PostgresCluster: one rule, one place. The webhook, `kubectl pgc validate` and
// the operator all ask here.
//
// Structure comes from the CRD, which is embedded in the program; what a schema cannot say comes
// from the rules beside this file, one concern a file. No I/O, no clock; safe from several threads.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shared/schema/structural/crd.h"
#include "shared/schema/structural/field_error.h"

namespace pgc::schema {

struct Verdict {
  std::vector<FieldError> errors;
  std::vector<std::string> warnings;  // at most 120 characters each, no control characters

  bool ok() const { return errors.empty(); }
};

// Judges `object` as it would be stored, so with defaults in it (apply_defaults). `old` is the
// stored object of an update, or null. All errors, the structural ones first.
Verdict check(const Json& object, const Json* old = nullptr);
// The part of it that no schema can say, for who has the structural verdict already (admit).
Verdict check_rules(const Json& object, const Json* old = nullptr);

// Writes the CRD's defaults into the object.
void apply_defaults(Json& object);
// `unknown field "spec.foo"` for each field the CRD does not name: what strict validation refuses.
std::vector<std::string> unknown_fields(const Json& object);

// The embedded CRD, as YAML and compiled.
std::string_view postgrescluster_crd();
const Crd& postgrescluster_definition();
const Schema& postgrescluster_schema();

}  // namespace pgc::schema
