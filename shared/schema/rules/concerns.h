// The rules, one concern a function, each in the file of its name. They take any JSON: what the
// structural validation has to say about types and bounds they leave to it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "shared/schema/rules/rules.h"

namespace pgc::schema {

// What is judged; `old` is null unless it is an update.
struct Change {
  const Json& object;
  const Json* old;
};

void check_name(const Change& change, Verdict& verdict);
void check_version(const Change& change, Verdict& verdict);
void check_storage(const Change& change, Verdict& verdict);
void check_resources(const Change& change, Verdict& verdict);
void check_parameters(const Change& change, Verdict& verdict);

}  // namespace pgc::schema
