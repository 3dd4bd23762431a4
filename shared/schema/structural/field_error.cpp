#include "shared/schema/structural/field_error.h"

#include <nlohmann/json.hpp>

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

// What Go's %q writes for the characters that may not stand for themselves.
std::string escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\a':
      return "\\a";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\v':
      return "\\v";
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7f) return {c};
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) result += escaped(c);
  return result + "\"";
}

// Go's JSON writes these three as escapes, so that the text is harmless inside HTML.
std::string html_safe(const std::string& json) {
  std::string result;
  for (char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else if (c == '>') {
      result += "\\u003e";
    } else if (c == '&') {
      result += "\\u0026";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string printed(const Json& value) {
  if (value.is_string()) return quoted(value.get_ref<const std::string&>());
  return html_safe(value.dump(-1, ' ', false, Json::error_handler_t::replace));
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
  return {FieldErrorType::kTypeInvalid, path.to_string(), quoted(std::string(type_name)),
          std::move(detail)};
}

FieldError not_supported(const FieldPath& path, const Json& value, const Json& supported) {
  std::string detail;
  for (const Json& choice : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += choice.is_string() ? printed(choice) : quoted(choice.dump());
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
          "may not be more than " + std::to_string(max_bytes) + " bytes"};
}

FieldError too_many(const FieldPath& path, std::size_t count, std::size_t max_items) {
  return {FieldErrorType::kTooMany, path.to_string(), std::to_string(count),
          "must have at most " + std::to_string(max_items) + " items"};
}

}  // namespace pgc::schema
