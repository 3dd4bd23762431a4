#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {

void check_version(const Change& change, Verdict& verdict) {
  if (change.old == nullptr) return;
  const Json* wanted = find(change.object, {"spec", "version"});
  const auto wanted_text = text_of(wanted);
  const auto old_text = text_of(find(*change.old, {"spec", "version"}));
  if (!wanted_text || !old_text) return;
  const auto wanted_major = parse_integer(*wanted_text);
  const auto old_major = parse_integer(*old_text);
  if (!wanted_major || !old_major || *wanted_major >= *old_major) return;
  verdict.errors.push_back(
      invalid(FieldPath("spec.version"), *wanted,
              "cannot go down from " + *old_text +
                  ": PostgreSQL does not read the files of a newer major; keep version \"" +
                  *old_text + "\" or restore into a new cluster"));
}

}  // namespace pgc::schema
