// What is wrong with one field, in the API server's words (k8s.io/apimachinery field.Error).
//
//   spec.replicas: Invalid value: 0: must be at least 1
//
// A value without references into the object it speaks of. It may quote a value of the object:
// where objects can hold secrets, log `field` alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shared/schema/structural/field_path.h"

namespace pgc::schema {

using Json = nlohmann::json;

enum class FieldErrorType {
  kRequired,
  kInvalid,
  kTypeInvalid,  // prints as Invalid, but has its own reason
  kNotSupported,
  kDuplicate,
  kForbidden,
  kTooLong,
  kTooMany,
  kNotFound,
};

struct FieldError {
  FieldErrorType type = FieldErrorType::kInvalid;
  std::string field;
  std::string value;  // as printed, quotes included; empty where the type prints none
  std::string detail;

  bool operator==(const FieldError&) const = default;
};

std::string to_string(const FieldError& error);
// The text without the field: `message` of a StatusCause.
std::string message(const FieldError& error);
// `reason` of a StatusCause, such as FieldValueInvalid.
std::string_view reason(FieldErrorType type);

FieldError required(const FieldPath& path, std::string detail = {});
FieldError forbidden(const FieldPath& path, std::string detail);
FieldError invalid(const FieldPath& path, const Json& value, std::string detail);
FieldError type_invalid(const FieldPath& path, std::string_view type_name, std::string detail);
FieldError not_supported(const FieldPath& path, const Json& value, const Json& supported);
FieldError duplicate(const FieldPath& path, const Json& value);
FieldError too_long(const FieldPath& path, std::size_t max_bytes);
FieldError too_many(const FieldPath& path, std::size_t count, std::size_t max_items);

// A value as Kubernetes prints it in errors: strings quoted, the rest as JSON, all in Go's way.
std::string printed(const Json& value);

}  // namespace pgc::schema
