// An object, and a change of it → the verdict.
#include <nlohmann/json.hpp>

#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/validate.h"
#include "tests/fuzz/object.h"
#include "tests/fuzz/property.h"

namespace {

using namespace pgc;
using fuzz::Json;
using fuzz::must;

constexpr std::size_t kLongestWarning = 120;  // rules.h

void check_verdict(const schema::Verdict& verdict, const std::string& found) {
  for (const auto& error : verdict.errors) {
    must(!error.field.empty(), "an error says where", found);
    must(!schema::message(error).empty(), "an error says what", found);
  }
  for (const auto& warning : verdict.warnings) fuzz::must_be_a_warning(warning, kLongestWarning);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  Json old = fuzz::as_it_arrives(fuzz::cluster_from(bytes));
  Json now = fuzz::as_it_arrives(fuzz::changed(old, bytes));
  schema::apply_defaults(old);
  schema::apply_defaults(now);
  const std::string found = now.dump(-1, ' ', false, Json::error_handler_t::replace);

  const schema::Verdict created = schema::check(now);
  check_verdict(created, found);
  check_verdict(schema::check(now, &old), found);
  must(schema::check(now).errors == created.errors, "the same object gets the same verdict", found);
  must(schema::check(now, &now).errors ==
           schema::validate(schema::postgrescluster_schema(), now, &now),
       "no rule judges anew what does not change", found);
  schema::unknown_fields(now);
  return 0;
}
