// What the API server makes of an object of any CRD, step by step as it does: unknown fields go, so
// do nulls that may not be, defaults come, status stays what it was, then the verdict.
//
// One entry for the plugin, the webhook and the tests. Pure; safe from several threads with one
// Crd. CEL is not interpreted.
#pragma once

#include <nlohmann/json.hpp>  // in full: the object is a part of the answer
#include <optional>
#include <string>
#include <vector>

#include "shared/schema/structural/crd.h"
#include "shared/schema/structural/field_error.h"

namespace pgc::schema {

struct Admitted {
  Json object;  // as it would be stored
  // It cannot be read as what it says it is; nothing else was looked at.
  std::optional<std::string> unreadable;
  // `unknown field "spec.foo"`: refused when strict, else warnings.
  std::vector<std::string> strict;
  std::vector<FieldError> errors;

  bool ok() const { return !unreadable && errors.empty(); }
};

// `version` is one of `crd`. `old`: the object that is changed, or null when it is created.
// A namespace that is absent is not missed: the request has one.
Admitted admit(const Crd& crd, const CrdVersion& version, Json object, const Json* old = nullptr);

}  // namespace pgc::schema
