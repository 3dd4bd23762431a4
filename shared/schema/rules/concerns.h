// The rules, one concern a function, each in the file of its name. They take any JSON: what the
// structural validation has to say about types and bounds they leave to it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "shared/schema/rules/given_parameters.h"
#include "shared/schema/rules/rules.h"

namespace pgc::schema {

// What is judged; `old` is null unless it is an update.
struct Change {
  const Json& object;
  const Json* old;
  const GivenParameters& parameters;
};

// With a twin in the CRD's CEL, in the same words (twins.cpp).
void check_name(const Change& change, Verdict& verdict);
void check_version(const Change& change, Verdict& verdict);
void check_storage(const Change& change, Verdict& verdict);

// Only here.
void check_generated_name(const Change& change, Verdict& verdict);
void check_resources(const Change& change, Verdict& verdict);
void check_parameters(const Change& change, Verdict& verdict);  // each by itself
void check_relations(const Change& change, Verdict& verdict);   // parameters with one another
void check_wal(const Change& change, Verdict& verdict);         // with the volume
void check_memory(const Change& change, Verdict& verdict);      // with the memory of the pod

// `path: text`, cut to what the API server passes on whole.
void warn(Verdict& verdict, const FieldPath& path, std::string_view text);

}  // namespace pgc::schema
