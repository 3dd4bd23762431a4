#include "shared/schema/structural/admission.h"

#include <algorithm>
#include <utility>

#include "shared/schema/structural/default.h"
#include "shared/schema/structural/node.h"
#include "shared/schema/structural/object_meta.h"
#include "shared/schema/structural/prune.h"
#include "shared/schema/structural/scale.h"
#include "shared/schema/structural/validate.h"

namespace pgc::schema {
namespace {

std::optional<std::string> unreadable_type(const Crd& crd, const CrdVersion& version,
                                           const Json& object) {
  if (!object.is_object()) return "must be an object";
  for (const char* key : {"apiVersion", "kind"}) {
    const Json* value = member(object, key);
    if (value == nullptr || !value->is_string()) return std::string(key) + ": must be a string";
  }
  const std::string expected = crd.group + "/" + version.name;
  const auto& api_version = object.at("apiVersion").get_ref<const std::string&>();
  if (api_version == expected) return std::nullopt;
  return "the API version in the data (" + api_version +
         ") does not match the expected API version (" + expected + ")";
}

void keep_status(const CrdVersion& version, const Json* old, Json& object) {
  if (!version.has_status) return;
  object.erase("status");
  const Json* before = old == nullptr ? nullptr : member(*old, "status");
  if (before != nullptr) object["status"] = *before;
}

void append(std::vector<FieldError> more, std::vector<FieldError>& errors) {
  for (FieldError& error : more) {
    if (std::find(errors.begin(), errors.end(), error) == errors.end()) {
      errors.push_back(std::move(error));
    }
  }
}

// The object of before as the API server would have read it.
std::optional<Json> as_stored(const Schema& schema, const Json* old) {
  if (old == nullptr) return std::nullopt;
  Json before = *old;
  prune(schema, before);
  apply_defaults(schema, before);
  return before;
}

}  // namespace

Admitted admit(const Crd& crd, const CrdVersion& version, Json object, const Json* old) {
  Admitted result{.object = std::move(object), .unreadable = {}, .strict = {}, .errors = {}};
  if (deeper_than(result.object, kMaxDepth)) {
    result.unreadable = "nested deeper than " + std::to_string(kMaxDepth) + " levels";
    return result;
  }
  result.unreadable = unreadable_type(crd, version, result.object);
  if (result.unreadable) return result;
  if (const Json& kind = result.object["kind"]; kind != crd.kind) {
    result.errors.push_back(invalid(FieldPath("kind"), kind, "must be " + crd.kind));
    return result;
  }
  Decoded decoded = decode(version.schema, result.object);
  result.strict = std::move(decoded.unknown);
  result.unreadable = std::move(decoded.unreadable);
  if (result.unreadable) return result;
  apply_defaults(version.schema, result.object);
  const std::optional<Json> stored = as_stored(version.schema, old);
  const Json* before = stored ? &*stored : nullptr;
  keep_status(version, before, result.object);
  append(check_metadata(result.object, before, crd.namespaced), result.errors);
  append(validate(version.schema, result.object, before), result.errors);
  if (version.scale) append(check_scale(*version.scale, result.object), result.errors);
  // What is read back from the store gets defaults once more: those of a status that was reset.
  if (version.has_status) apply_defaults(version.schema, result.object);
  return result;
}

}  // namespace pgc::schema
