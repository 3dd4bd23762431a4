#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {
namespace {

// The major that an update must not go below. A cluster runs what its status says, so that a major
// that the operator did not come to can be taken back; nothing where the operator has looked and
// nothing runs yet. Without a status nobody knows: then it is what was asked for.
const Json* lowest(const Json& old) {
  const bool looked_at = find(old, {"status"}) != nullptr;
  return looked_at ? find(old, {"status", "version"}) : find(old, {"spec", "version"});
}

// What is no number is neither less nor more: the schema has something to say about it.
bool less(const Json* left, const Json* right) {
  const auto left_text = text_of(left);
  const auto right_text = text_of(right);
  if (!left_text || !right_text) return false;
  const auto left_number = parse_integer(*left_text);
  const auto right_number = parse_integer(*right_text);
  return left_number && right_number && *left_number < *right_number;
}

}  // namespace

void check_version(const Change& change, Verdict& verdict) {
  if (change.old == nullptr) return;
  const Json* wanted = find(change.object, {"spec", "version"});
  if (!less(wanted, find(*change.old, {"spec", "version"}))) return;
  const Json* floor = lowest(*change.old);
  if (!less(wanted, floor)) return;
  const std::string present = text_of(floor).value_or("");
  verdict.errors.push_back(
      invalid(FieldPath("spec.version"), *wanted,
              "cannot go down from " + present +
                  ": PostgreSQL does not read the files of a newer major; keep version \"" +
                  present + "\" or restore into a new cluster"));
}

}  // namespace pgc::schema
