#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/characters.h"
#include "shared/schema/rules/concerns.h"
#include "shared/schema/rules/managed_parameters.h"
#include "shared/schema/rules/parameter_advice.h"
#include "shared/schema/rules/parameter_names.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {
namespace {

// Looking for the name that was meant takes time; after so many nobody reads on.
constexpr std::size_t kManyFindings = 16;

// One parameter of a name that is one. What is said about its value starts with the value itself.
class ParameterCheck {
 public:
  ParameterCheck(const GivenParameter& given, int major, Verdict& verdict)
      : given_(given), major_(major), verdict_(verdict) {}

  void run() {
    if (!given_.is_text) return refuse_unquoted();
    if (!is_one_clean_line(given_.text))
      return refuse("must be one line of UTF-8 without control characters");
    if (refuse_unsettable()) return;
    if (given_.parameter == nullptr) return check_unknown();
    if (!check_value()) return;
    check_for_patroni();
    check_required();
    advise(given_, verdict_);
  }

 private:
  // The schema has said that it is neither a string nor an integer.
  void refuse_unquoted() {
    const Json& value = *given_.json;
    if (value.is_boolean())
      refuse("must be in quotes, \"" + std::string(value.get<bool>() ? "on" : "off") +
             "\": without them YAML makes a boolean of it");
    if (value.is_number_float())
      refuse("must be in quotes, \"" + value.dump() +
             "\": a number with a fraction is a string here");
  }

  bool refuse_unsettable() {
    std::string_view reason = reason_not_settable(*given_.name);
    if (reason.empty() && given_.parameter != nullptr) reason = unsettable(*given_.parameter);
    if (reason.empty()) return false;
    verdict_.errors.push_back(forbidden(given_.path(), std::string(reason)));
    return true;
  }

  static std::string_view unsettable(const Parameter& parameter) {
    if (parameter.context == ParameterContext::kInternal)
      return "tells a property of the server and cannot be set; remove it";
    if ((parameter.flags & kNotInFile) != 0)
      return "is of each session and cannot stand in a configuration; remove it";
    if ((parameter.flags & kDroppedByPatroni) != 0)
      return "is not passed on to PostgreSQL by Patroni; remove it";
    return {};
  }

  void check_unknown() {
    if (major_ == 0) return;  // the schema has refused the version
    const bool suggest = verdict_.errors.size() + verdict_.warnings.size() < kManyFindings;
    if (given_.name->find('.') != std::string::npos)
      return warn(verdict_, given_.path(), unknown_extension_parameter(*given_.name, suggest));
    verdict_.errors.push_back({.type = FieldErrorType::kNotFound,
                               .field = given_.path().to_string(),
                               .value = printed(*given_.name),
                               .detail = unknown_parameter(*given_.name, major_, suggest)});
  }

  bool check_value() {
    const Parameter& parameter = *given_.parameter;
    if (parameter.kind == ParameterKind::kEnum) return check_word();
    if (given_.is_taken) return refuse_by_hook(parameter, given_.value);
    refuse(read_value(parameter, given_.text).error());
    return false;
  }

  // Of the hidden words Patroni knows the booleans alone.
  bool check_word() {
    const Parameter& parameter = *given_.parameter;
    const std::string& text = given_.text;
    if (given_.is_taken && (has_value(parameter, text) || is_boolean_for_patroni(text)))
      return true;
    verdict_.errors.push_back(
        not_supported(given_.path(), *given_.json, settable_values(parameter)));
    return false;
  }

  bool refuse_by_hook(const Parameter& parameter, double value) {
    const std::string reason = reason_of_hook(parameter, value);
    if (!reason.empty()) refuse(reason);
    return reason.empty();
  }

  void check_for_patroni() {
    const Parameter& parameter = *given_.parameter;
    const bool whole = parameter.kind == ParameterKind::kInteger;
    if (parameter.kind == ParameterKind::kBool && !is_boolean_for_patroni(given_.text)) {
      refuse("must be written out, \"" + std::string(given_.value != 0 ? "on" : "off") +
             "\": Patroni drops what is shortened");
    }
    if ((whole || parameter.kind == ParameterKind::kReal) &&
        !is_number_for_patroni(given_.text, whole)) {
      refuse("must be a plain decimal number: Patroni drops this spelling");
    }
    const PatroniMinimum* limit = find_minimum(parameter.name);
    if (limit == nullptr || given_.value >= limit->minimum) return;
    refuse("must be at least " + amount_text(limit->minimum, parameter.unit) +
           ": below that Patroni runs with " + std::string(limit->instead) + " instead");
  }

  void check_required() {
    if (const std::string reason = reason_of_operator(given_); !reason.empty()) refuse(reason);
  }

  void refuse(const std::string& detail) {
    verdict_.errors.push_back(invalid(given_.path(), *given_.json, detail));
  }

  const GivenParameter& given_;
  int major_;
  Verdict& verdict_;
};

}  // namespace

void check_parameters(const Change& change, Verdict& verdict) {
  for (const GivenParameter& given : change.parameters.all()) {
    if (!is_parameter_name(*given.name)) {
      verdict.errors.push_back(invalid(
          FieldPath("spec.postgresql.parameters"), *given.name,
          "must be the name of a parameter: letters, digits, '_' and '$', with at most one '.'"));
    } else if (change.parameters.find(*given.name) != &given) {
      verdict.errors.push_back(duplicate(given.path(), *given.name));
    } else {
      ParameterCheck(given, change.parameters.major(), verdict).run();
    }
  }
}

}  // namespace pgc::schema
