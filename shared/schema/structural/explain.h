// What the API server says about a value that its schema refuses: field, words and all.
//
// The algorithm, down to which of several alternatives is blamed, is that of
// k8s.io/kube-openapi/pkg/validation/validate, as k8s.io/apiextensions-apiserver calls it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "shared/schema/structural/correlate.h"
#include "shared/schema/structural/field_error.h"

namespace pgc::schema {

// `old` is the object of before an update, or null: what is unchanged is not held against it.
std::vector<FieldError> explain(const Node& root, const Json& object, const Json* old);

// The outcome of looking at one value.
struct Findings {
  std::vector<FieldError> errors;
  int matches = 0;  // how much was right: of alternatives that all fail, the best one is blamed

  bool ok() const { return errors.empty(); }
  void add(FieldError error);
  void merge(Findings other);
};

// The parts of it that look at one value alone (explain_value.cpp). `path` is the value's place, as
// messages say it.
Findings explain_type(const Node& node, const Json& value, const std::string& path);
Findings explain_enum(const Node& node, const Json& value, const std::string& path);
Findings explain_string(const Node& node, const Json& value, const std::string& path);
Findings explain_format(const Node& node, const Json& value, const std::string& path);
Findings explain_number(const Node& node, const Json& value, const std::string& path);

FieldPath field_of(const std::string& path);
// An error that the API server says of the whole object, with the path in its text.
FieldError nameless(std::string text);

}  // namespace pgc::schema
