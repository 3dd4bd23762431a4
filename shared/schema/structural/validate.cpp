#include "shared/schema/structural/validate.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/explain.h"
#include "shared/schema/structural/list_type.h"
#include "shared/schema/structural/node.h"
#include "shared/schema/structural/object_meta.h"
#include "shared/schema/structural/plain.h"
#include "shared/schema/structural/verdict.h"

namespace pgc::schema {
namespace {

FieldError too_deep() {
  return {FieldErrorType::kInvalid,
          FieldPath().to_string(),
          {},
          "must not be nested deeper than " + std::to_string(kMaxDepth) + " levels"};
}

void append(std::vector<FieldError> more, std::vector<FieldError>& errors) {
  for (FieldError& error : more) {
    if (std::find(errors.begin(), errors.end(), error) == errors.end()) {
      errors.push_back(std::move(error));
    }
  }
}

bool is_too_large(const Json& value) {
  return value.is_number_unsigned() &&
         value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
}

bool holds_too_large(const Json& value) {
  if (!value.is_structured()) return is_too_large(value);
  return std::any_of(value.begin(), value.end(), holds_too_large);
}

void make_floating(Json& value) {
  if (is_too_large(value)) value = value.get<double>();
  if (!value.is_structured()) return;
  for (Json& part : value) make_floating(part);
}

// Numbers as the API server reads them: what exceeds int64 is floating point.
std::vector<FieldError> explain_as_read(const Node& root, const Json& object, const Json* old) {
  if (!holds_too_large(object) && (old == nullptr || !holds_too_large(*old))) {
    return explain(root, object, old);
  }
  Json read = object;
  Json before = old == nullptr ? Json() : *old;
  make_floating(read);
  make_floating(before);
  return explain(root, read, old == nullptr ? nullptr : &before);
}

}  // namespace

std::vector<FieldError> validate(const Schema& schema, const Json& object, const Json* old) {
  if (deeper_than(object, kMaxDepth)) return {too_deep()};
  const Schema::Compiled& compiled = schema.compiled();
  std::vector<FieldError> errors;
  // Words are looked for only where there is, or may be, an objection.
  if (!passes(*compiled.verdict, object) || !is_plain(compiled.tree, object)) {
    errors = explain_as_read(compiled.tree, object, old);
  }
  if (compiled.has_embedded) append(check_embedded(compiled.tree, object), errors);
  if (!compiled.has_unique_lists) return errors;
  // Lists that had duplicates before may have some.
  if (old == nullptr || explain_lists(compiled.tree, *old).empty()) {
    append(explain_lists(compiled.tree, object), errors);
  }
  return errors;
}

}  // namespace pgc::schema
