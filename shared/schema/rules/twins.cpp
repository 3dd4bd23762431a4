#include "shared/schema/rules/twins.h"

#include <nlohmann/json.hpp>

#include "shared/schema/rules/concerns.h"

namespace pgc::schema {

std::vector<FieldError> check_twins(const Json& object, const Json* old) {
  Verdict verdict;
  const GivenParameters none{Json()};
  const Change change{object, old, none};
  for (const auto rule : {check_name, check_version, check_storage}) rule(change, verdict);
  return verdict.errors;
}

}  // namespace pgc::schema
