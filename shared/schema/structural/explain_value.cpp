// The texts are those of k8s.io/kube-openapi/pkg/validation/errors, as apiextensions-apiserver's
// validation.go turns them into field.Errors.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/explain.h"
#include "shared/schema/structural/go_text.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

Findings right() {
  return {.errors = {}, .matches = 1};
}

Findings wrong(FieldError error) {
  return {.errors = {std::move(error)}, .matches = 0};
}

FieldError wrong_type(const std::string& path, const std::string& wanted,
                      const std::string& actual) {
  return type_invalid(field_of(path), actual,
                      path + " in body must be of type " + wanted + ": " + go_quoted(actual));
}

std::uint8_t type_of(const Json& value) {
  if (value.is_object()) return kObject;
  if (value.is_array()) return kArray;
  if (value.is_string()) return kString;
  if (value.is_boolean()) return kBoolean;
  return value.is_number_float() ? kNumber : kInteger;
}

std::string name_of(std::uint8_t type) {
  switch (type) {
    case kObject:
      return "object";
    case kArray:
      return "array";
    case kString:
      return "string";
    case kBoolean:
      return "boolean";
    case kInteger:
      return "integer";
    default:
      return "number";
  }
}

// What Go calls the type of a number.
std::string number_format(std::uint8_t type) {
  return type == kInteger ? "int64" : type == kNumber ? "float64" : "";
}

bool fits_integer(const Json& value, const std::string& format) {
  const bool small = format == "int32";
  const double low = small ? std::numeric_limits<std::int32_t>::min() : -0x1p63;
  const double high = small ? 0x1p31 : 0x1p63;  // the first that does not fit
  const auto number = value.get<double>();
  if (value.is_number_float()) {
    return std::trunc(number) == number && number >= low && number < high;
  }
  return !small || (number >= low && number < high);
}

// Whether a number is within what type and format of the node can hold.
bool in_range(const Node& node, const Json& value) {
  if (node.only(kInteger)) return fits_integer(value, node.format);
  return node.format != "float" || std::isfinite(static_cast<float>(value.get<double>()));
}

FieldError out_of_range(const Node& node, const std::string& what, const std::string& path) {
  const std::string format =
      node.format.empty() ? " (default format)" : " with format " + node.format;
  const std::string type = node.only(kInteger) ? "integer" : "number";
  return nameless(what + " value must be of type " + type + format + " in " + path);
}

// A bound and how the number compares with it. An integer is compared as one unless the bound does
// not fit.
class Bound {
 public:
  Bound(const Node& node, const Json& value, double bound)
      : whole_(value.is_number_integer() && in_range(node, bound)),
        shown_(whole_ || !value.is_number_integer() ? value : Json(value.get<double>())),
        bound_(bound) {}

  const Json& shown() const { return shown_; }
  std::string text() const {
    return whole_ ? std::to_string(static_cast<std::int64_t>(bound_)) : go_number(bound_);
  }
  Json number() const { return whole_ ? Json(static_cast<std::int64_t>(bound_)) : Json(bound_); }
  // Negative: the number is below the bound.
  int compare() const {
    if (!whole_) return order(shown_.get<double>(), bound_);
    return order(shown_.get<std::int64_t>(), static_cast<std::int64_t>(bound_));
  }
  bool is_multiple() const {
    if (whole_) return shown_.get<std::int64_t>() % static_cast<std::int64_t>(bound_) == 0;
    const auto number = shown_.get<double>();
    return is_json_integer(bound_ < 1 ? 1 / bound_ * number : number / bound_);
  }
  bool is_positive() const { return whole_ ? static_cast<std::int64_t>(bound_) > 0 : bound_ > 0; }

 private:
  template <typename T>
  static int order(T a, T b) {
    return a < b ? -1 : a > b ? 1 : 0;
  }

  bool whole_;
  Json shown_;
  double bound_;
};

void explain_multiple(const Node& node, const Json& value, const std::string& path,
                      Findings& findings) {
  if (!in_range(node, *node.multiple_of)) findings.add(out_of_range(node, "MultipleOf", path));
  const Bound bound(node, value, *node.multiple_of);
  if (!bound.is_positive()) {
    findings.add(
        invalid(field_of(path), bound.number(),
                "factor MultipleOf declared for " + path + " must be positive: " + bound.text()));
  } else if (!bound.is_multiple()) {
    findings.add(invalid(field_of(path), bound.shown(),
                         path + " in body should be a multiple of " + bound.text()));
  }
}

void explain_maximum(const Node& node, const Json& value, const std::string& path,
                     Findings& findings) {
  if (!in_range(node, *node.maximum)) findings.add(out_of_range(node, "Maximum boundary", path));
  const Bound bound(node, value, *node.maximum);
  if (bound.compare() < 0 || (bound.compare() == 0 && !node.exclusive_maximum)) return;
  findings.add(invalid(field_of(path), bound.shown(),
                       path + " in body should be less than " +
                           (node.exclusive_maximum ? "" : "or equal to ") + bound.text()));
}

void explain_minimum(const Node& node, const Json& value, const std::string& path,
                     Findings& findings) {
  if (!in_range(node, *node.minimum)) findings.add(out_of_range(node, "Minimum boundary", path));
  const Bound bound(node, value, *node.minimum);
  if (bound.compare() > 0 || (bound.compare() == 0 && !node.exclusive_minimum)) return;
  findings.add(invalid(field_of(path), bound.shown(),
                       path + " in body should be greater than " +
                           (node.exclusive_minimum ? "" : "or equal to ") + bound.text()));
}

// Equal after a conversion that Go allows: 1.7 becomes 1, and 97 the text "a".
bool converts_to(const Json& value, const Json& choice) {
  if (value.is_number() && choice.is_number()) {
    if (!choice.is_number_float() && value.is_number_float()) {
      return std::trunc(value.get<double>()) == choice.get<double>();
    }
    return value == choice;
  }
  if (value.is_number_integer() && choice.is_string()) {
    return go_rune(value.get<std::int64_t>()) == choice.get_ref<const std::string&>();
  }
  return identical(value, choice);
}

}  // namespace

Findings explain_type(const Node& node, const Json& value, const std::string& path) {
  if (value.is_null()) {
    if (node.types == 0 || node.nullable) return right();
    return wrong(wrong_type(path, node.type_text, "null"));
  }
  const std::uint8_t actual = type_of(value);
  const bool whole = actual == kNumber && node.is(kInteger) && is_json_integer(value.get<double>());
  const bool fits = (node.types & actual) != 0 || whole || (actual == kInteger && node.is(kNumber));
  const bool textual = actual == kString || actual == kArray;
  if (!node.format.empty() && !textual && !fits) {
    return wrong(wrong_type(path, node.format, number_format(actual)));
  }
  // A list passes for a string with a format, too.
  if (!node.format.empty() && textual && !node.is(kNumber) && !node.is(kInteger)) return right();
  if (!fits) return wrong(wrong_type(path, node.type_text, name_of(actual)));
  return right();
}

Findings explain_enum(const Node& node, const Json& value, const std::string& path) {
  const auto matches = [&](const Json& choice) {
    return !value.is_null() && !choice.is_null() && converts_to(value, choice);
  };
  if (node.choices.empty() || std::any_of(node.choices.begin(), node.choices.end(), matches)) {
    return {};
  }
  return wrong(not_supported(field_of(path), value, node.choices));
}

Findings explain_string(const Node& node, const Json& value, const std::string& path) {
  const auto& text = value.get_ref<const std::string&>();
  const auto length = static_cast<std::int64_t>(length_of(text));
  if (node.max_length && length > *node.max_length) {
    return wrong(too_long(field_of(path), static_cast<std::size_t>(*node.max_length)));
  }
  if (node.min_length && length < *node.min_length) {
    return wrong(invalid(
        field_of(path), value,
        path + " in body should be at least " + std::to_string(*node.min_length) + " chars long"));
  }
  if (node.expression != nullptr && !re2::RE2::PartialMatch(text, *node.expression)) {
    return wrong(
        invalid(field_of(path), value, path + " in body should match '" + node.pattern + "'"));
  }
  return {};
}

Findings explain_format(const Node& node, const Json& value, const std::string& path) {
  const auto& text = value.get_ref<const std::string&>();
  if (node.format_check(text)) return {};
  return wrong(wrong_type(path, node.format, text));
}

Findings explain_number(const Node& node, const Json& value, const std::string& path) {
  Findings findings = right();
  if (!in_range(node, value)) findings.add(out_of_range(node, "Checked", path));
  if (node.multiple_of) explain_multiple(node, value, path, findings);
  if (node.minimum) explain_minimum(node, value, path, findings);
  if (node.maximum) explain_maximum(node, value, path, findings);
  return findings;
}

}  // namespace pgc::schema
