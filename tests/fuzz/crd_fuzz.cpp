// Somebody's CRD, as YAML → a compiled schema → verdicts on small objects.
#include <nlohmann/json.hpp>

#include "shared/schema/structural/crd.h"
#include "shared/schema/structural/default.h"
#include "shared/schema/structural/prune.h"
#include "shared/schema/structural/validate.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pgc;
  using Json = nlohmann::json;
  const auto crd = schema::parse_crd_yaml(fuzz::as_text(data, size));
  if (!crd) {
    fuzz::must(!crd.error().empty(), "an error says what", fuzz::as_text(data, size));
    return 0;
  }
  for (const auto& version : crd->versions) {
    for (Json object : {Json::object(), Json{{"spec", {{"from", "Paris"}, {"number", 11}}}}}) {
      schema::apply_defaults(version.schema, object);
      const Json once = object;
      schema::apply_defaults(version.schema, object);
      fuzz::must(once == object, "what is defaulted is not defaulted again", once.dump());
      schema::validate(version.schema, object);
      schema::unknown_fields(version.schema, object);
    }
  }
  return 0;
}
