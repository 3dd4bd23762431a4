// An object → the patch of the mutating hook → the object as it would be stored.
#include <nlohmann/json.hpp>

#include "shared/schema/rules/rules.h"
#include "tests/fuzz/answer.h"
#include "tests/fuzz/object.h"
#include "tests/fuzz/property.h"

namespace {

using namespace pgc;
using fuzz::Json;
using fuzz::must;

std::string shown(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Whatever was said, known to us or not, is still said. Null is as good as nothing.
void must_be_kept(const Json& before, const Json& after, const std::string& found) {
  if (!before.is_object()) return must(before == after, "a value stays as it was given", found);
  for (const auto& [key, value] : before.items()) {
    if (value.is_null()) continue;
    must(after.is_object() && after.contains(key), "no field is dropped", found);
    if (!value.is_array()) must_be_kept(value, after[key], found);
  }
}

void check_hooks(const Json& object, const Json& old) {
  const Json asked = fuzz::review_of(object, old);
  const Json after = fuzz::patched(asked, fuzz::checked_response(webhook::Hook::kMutate, asked));
  const std::string found = shown(object) + "\nbecame " + shown(after);
  must_be_kept(object, after, found);

  const Json again = fuzz::review_of(after, old);
  must(!fuzz::checked_response(webhook::Hook::kMutate, again).contains("patch"),
       "what is defaulted is not defaulted again", found);

  Json defaulted = after;
  schema::apply_defaults(defaulted);
  must(defaulted == after, "the patch holds all defaults", found);
  // An update that leaves the spec alone is not judged: finalizers must be able to go.
  if (old.is_object() && old["spec"] == after["spec"]) return;
  const bool allowed =
      fuzz::checked_response(webhook::Hook::kValidate, again).value("allowed", false);
  must(allowed == schema::check(after, old.is_null() ? nullptr : &old).ok(),
       "webhook and plugin give one verdict", found);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const Json object = fuzz::as_it_arrives(fuzz::cluster_from(bytes));
  check_hooks(object, nullptr);
  Json old = fuzz::as_it_arrives(fuzz::changed(object, bytes));
  schema::apply_defaults(old);
  if (old["spec"] != object["spec"]) check_hooks(object, old);
  return 0;
}
