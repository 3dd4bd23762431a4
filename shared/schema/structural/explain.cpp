// The texts are those of k8s.io/kube-openapi/pkg/validation/errors and apiextensions-apiserver's
// validation.go.
#include "shared/schema/structural/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

// Appends to `errors` what is wrong with one value.
class Explainer {
 public:
  Explainer(const Json& node, const Json& value, const FieldPath& path,
            std::vector<FieldError>& errors)
      : node_(node), value_(value), path_(path), errors_(errors) {}

  void explain() {
    const bool right_type = explain_type();
    explain_enum();
    if (!right_type) return;
    if (value_.is_number()) explain_number();
    if (value_.is_string()) explain_string();
    if (value_.is_array()) explain_array();
    if (value_.is_object()) explain_object();
  }

 private:
  std::string wanted_type() const {
    return is_int_or_string(node_) ? "integer,string" : type_of_node(node_);
  }

  bool has_right_type() const {
    const std::string_view actual = type_name(value_);
    if (actual == "null" && is_nullable(node_)) return true;
    if (is_int_or_string(node_)) return actual == "integer" || actual == "string";
    const std::string wanted = type_of_node(node_);
    return wanted.empty() || wanted == actual || (wanted == "number" && actual == "integer");
  }

  bool explain_type() {
    if (has_right_type()) return true;
    const std::string_view actual = type_name(value_);
    errors_.push_back(type_invalid(
        path_, actual,
        in_body("must be of type " + wanted_type() + ": \"" + std::string(actual) + "\"")));
    return false;
  }

  void explain_enum() {
    const Json* choices = member(node_, "enum");
    if (choices == nullptr || std::find(choices->begin(), choices->end(), value_) != choices->end())
      return;
    errors_.push_back(not_supported(path_, value_, *choices));
  }

  void explain_number() {
    const auto number = value_.get<double>();
    if (const Json* minimum = member(node_, "minimum")) {
      const bool open = has_flag(node_, "exclusiveMinimum");
      const auto limit = minimum->get<double>();
      if (open ? number <= limit : number < limit) {
        say(std::string("should be greater than ") + (open ? "" : "or equal to ") +
            plain(*minimum));
      }
    }
    if (const Json* maximum = member(node_, "maximum")) {
      const bool open = has_flag(node_, "exclusiveMaximum");
      const auto limit = maximum->get<double>();
      if (open ? number >= limit : number > limit) {
        say(std::string("should be less than ") + (open ? "" : "or equal to ") + plain(*maximum));
      }
    }
    if (const Json* factor = member(node_, "multipleOf")) {
      if (std::fmod(number, factor->get<double>()) != 0)
        say("should be a multiple of " + plain(*factor));
    }
  }

  void explain_string() {
    const auto& text = value_.get_ref<const std::string&>();
    const std::size_t length = length_of(text);
    if (const auto max = size_keyword(node_, "maxLength"); max && length > *max) {
      errors_.push_back(too_long(path_, *max));
    }
    if (const auto min = size_keyword(node_, "minLength"); min && length < *min) {
      say("should be at least " + std::to_string(*min) + " chars long");
    }
    if (const Json* pattern = member(node_, "pattern")) {
      const auto& expression = pattern->get_ref<const std::string&>();
      if (!Pattern::search(text, Pattern(expression))) say("should match '" + expression + "'");
    }
  }

  void explain_array() {
    if (const auto max = size_keyword(node_, "maxItems"); max && value_.size() > *max) {
      errors_.push_back(too_many(path_, value_.size(), *max));
    }
    if (const auto min = size_keyword(node_, "minItems"); min && value_.size() < *min) {
      say("should have at least " + std::to_string(*min) + " items");
    }
  }

  void explain_object() {
    if (const Json* names = member(node_, "required")) {
      for (const Json& name : *names) {
        const auto& key = name.get_ref<const std::string&>();
        if (!value_.contains(key)) errors_.push_back(required(path_.child(key)));
      }
    }
    if (const auto max = size_keyword(node_, "maxProperties"); max && value_.size() > *max) {
      errors_.push_back(too_many(path_, value_.size(), *max));
    }
    if (const auto min = size_keyword(node_, "minProperties"); min && value_.size() < *min) {
      say("should have at least " + std::to_string(*min) + " properties");
    }
  }

  std::string in_body(const std::string& text) const {
    return (path_.is_root() ? "" : path_.to_string() + " ") + "in body " + text;
  }

  void say(const std::string& text) { errors_.push_back(invalid(path_, value_, in_body(text))); }

  // Without the ".0" of a whole floating-point number.
  static std::string plain(const Json& number) {
    return is_whole(number) ? std::to_string(number.get<std::int64_t>()) : number.dump();
  }

  const Json& node_;
  const Json& value_;
  const FieldPath& path_;
  std::vector<FieldError>& errors_;
};

}  // namespace

std::vector<FieldError> explain(const Json& node, const Json& value, const FieldPath& path) {
  std::vector<FieldError> errors;
  Explainer(node, value, path, errors).explain();
  return errors;
}

std::vector<FieldError> explain_format(const Json& node, const Json& value, const FieldPath& path) {
  // Every whole number that JSON gives us fits int64: larger ones are read as floating point.
  const Json* format = member(node, "format");
  if (format == nullptr || *format != "int32" || !value.is_number_integer()) return {};
  using Limits = std::numeric_limits<std::int32_t>;
  const auto number = value.get<std::int64_t>();
  if (number >= Limits::min() && number <= Limits::max()) return {};
  return {
      invalid(path, value,
              "Checked value must be of type integer with format int32 in " + path.to_string())};
}

}  // namespace pgc::schema
