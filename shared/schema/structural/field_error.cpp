#include "shared/schema/structural/field_error.h"

#include <nlohmann/json.hpp>

#include "shared/schema/structural/go_text.h"

namespace pgc::schema {
namespace {

struct Words {
  std::string_view title;
  std::string_view reason;
};

Words words(FieldErrorType type) {
  switch (type) {
    case FieldErrorType::kRequired:
      return {"Required value", "FieldValueRequired"};
    case FieldErrorType::kInvalid:
      return {"Invalid value", "FieldValueInvalid"};
    case FieldErrorType::kTypeInvalid:
      return {"Invalid value", "FieldValueTypeInvalid"};
    case FieldErrorType::kNotSupported:
      return {"Unsupported value", "FieldValueNotSupported"};
    case FieldErrorType::kDuplicate:
      return {"Duplicate value", "FieldValueDuplicate"};
    case FieldErrorType::kForbidden:
      return {"Forbidden", "FieldValueForbidden"};
    case FieldErrorType::kTooLong:
      return {"Too long", "FieldValueTooLong"};
    case FieldErrorType::kTooMany:
      return {"Too many", "FieldValueTooMany"};
    case FieldErrorType::kNotFound:
      return {"Not found", "FieldValueNotFound"};
  }
  return {"Invalid value", "FieldValueInvalid"};
}

// `1 item`, `2 items`.
std::string counted(std::size_t number, const std::string& thing) {
  return std::to_string(number) + " " + thing + (number == 1 ? "" : "s");
}

}  // namespace

std::string printed(const Json& value) {
  if (value.is_string()) return go_quoted(value.get_ref<const std::string&>());
  return value.is_number_float() ? go_number(value.get<double>()) : go_json(value);
}

std::string message(const FieldError& error) {
  std::string text(words(error.type).title);
  if (!error.value.empty()) text += ": " + error.value;
  if (!error.detail.empty()) text += ": " + error.detail;
  return text;
}

std::string to_string(const FieldError& error) {
  return error.field + ": " + message(error);
}

std::string_view reason(FieldErrorType type) {
  return words(type).reason;
}

FieldError required(const FieldPath& path, std::string detail) {
  return {FieldErrorType::kRequired, path.to_string(), {}, std::move(detail)};
}

FieldError forbidden(const FieldPath& path, std::string detail) {
  return {FieldErrorType::kForbidden, path.to_string(), {}, std::move(detail)};
}

FieldError invalid(const FieldPath& path, const Json& value, std::string detail) {
  return {FieldErrorType::kInvalid, path.to_string(), printed(value), std::move(detail)};
}

FieldError type_invalid(const FieldPath& path, std::string_view type_name, std::string detail) {
  return {FieldErrorType::kTypeInvalid, path.to_string(), go_quoted(std::string(type_name)),
          std::move(detail)};
}

FieldError not_supported(const FieldPath& path, const Json& value, const Json& supported) {
  std::string detail;
  for (const Json& choice : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += choice.is_string() ? printed(choice) : go_quoted(go_json(choice));
  }
  return {FieldErrorType::kNotSupported, path.to_string(), printed(value), std::move(detail)};
}

FieldError duplicate(const FieldPath& path, const Json& value) {
  return {FieldErrorType::kDuplicate, path.to_string(), printed(value), {}};
}

FieldError too_long(const FieldPath& path, std::size_t max_bytes) {
  return {FieldErrorType::kTooLong,
          path.to_string(),
          {},
          "may not be more than " + counted(max_bytes, "byte")};
}

FieldError too_many(const FieldPath& path, std::size_t count, std::size_t max_items) {
  return {FieldErrorType::kTooMany, path.to_string(), std::to_string(count),
          "must have at most " + counted(max_items, "item")};
}

}  // namespace pgc::schema
