#include "shared/schema/structural/validate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/explain.h"
#include "shared/schema/structural/list_type.h"
#include "shared/schema/structural/node.h"
#include "shared/schema/structural/ratchet.h"

namespace pgc::schema {
namespace {

// What valijson has against a value, in its own words.
using Objections = std::map<Steps, std::vector<std::string>>;

struct Finding {
  Steps steps;
  FieldError error;
};

// Numbers as the API server reads them: 3.0 is an integer, what exceeds int64 is floating point.
void normalise(Json& value) {
  if (value.is_structured()) {
    for (Json& part : value) normalise(part);
  } else if (value.is_number_float() && is_whole(value)) {
    value = value.get<std::int64_t>();
  } else if (value.is_number_unsigned() &&
             value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    value = value.get<double>();
  }
}

// valijson's context is "<root>", "[spec]", "[replicas]".
Steps steps_of(const std::vector<std::string>& context) {
  Steps steps;
  for (std::size_t i = 1; i < context.size(); ++i) {
    steps.push_back(context[i].substr(1, context[i].size() - 2));
  }
  return steps;
}

Objections ask_valijson(const Schema::Compiled& compiled, const Json& object) {
  valijson::ValidatorT<Pattern> validator;
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter target(object);
  Objections objections;
  if (validator.validate(*compiled.verdict, target, &results)) return objections;
  for (const auto& error : results)
    objections[steps_of(error.context)].push_back(error.description);
  if (objections.empty()) objections[{}] = {"does not match its schema"};
  return objections;
}

bool mentions(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

// What the API server says for a schema made of others, by what valijson says.
std::string combined_text(const std::string& objection, const std::string& field) {
  if (mentions(objection, "anyOf")) {
    return "\"" + field + "\" must validate at least one schema (anyOf)";
  }
  if (mentions(objection, "oneOf") || mentions(objection, "exactly one child schema")) {
    return "\"" + field + "\" must validate one and only one schema (oneOf)";
  }
  if (mentions(objection, "'not'")) return "\"" + field + "\" must not validate the schema (not)";
  return {};
}

// Walks object and schema side by side and puts words to the objections.
class Walk {
 public:
  explicit Walk(const Objections& objections) : objections_(objections) {}

  void visit(const Json& node, const Json& value, const FieldPath& path) {
    judge(node, value, path);
    if (value.is_object()) visit_fields(node, value, path);
    if (value.is_array()) visit_items(node, value, path);
  }

  std::vector<Finding> take() { return std::move(findings_); }

 private:
  void judge(const Json& node, const Json& value, const FieldPath& path) {
    if (const auto found = objections_.find(steps_); found != objections_.end()) {
      add(explain(node, value, path));
      for (const std::string& objection : found->second) {
        const std::string text = combined_text(objection, path.to_string());
        if (!text.empty()) add({invalid(path, value, text)});
      }
    }
    add(explain_format(node, value, path));
    add(explain_duplicates(node, value, path));
  }

  void visit_fields(const Json& node, const Json& object, const FieldPath& path) {
    for (const auto& [key, child] : object.items()) {
      const Json* schema = field_schema(node, key);
      if (schema != nullptr) step_into(key, *schema, child, path.child(key));
    }
  }

  void visit_items(const Json& node, const Json& list, const FieldPath& path) {
    const Json* schema = items_schema(node);
    if (schema == nullptr) return;
    for (std::size_t i = 0; i < list.size(); ++i) {
      step_into(std::to_string(i), *schema, list[i], path.index(i));
    }
  }

  void step_into(const std::string& step, const Json& node, const Json& value,
                 const FieldPath& path) {
    steps_.push_back(step);
    visit(node, value, path);
    steps_.pop_back();
  }

  void add(const std::vector<FieldError>& errors) {
    for (const FieldError& error : errors) findings_.push_back({steps_, error});
  }

  const Objections& objections_;
  Steps steps_;
  std::vector<Finding> findings_;
};

// A verdict without words for it must not get lost: then valijson's own, for the innermost value.
Finding unexplained(const Objections& objections) {
  const auto innermost = std::max_element(
      objections.begin(), objections.end(),
      [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
  FieldPath path;
  for (const std::string& step : innermost->first) path = path.child(step);
  return {innermost->first,
          {FieldErrorType::kInvalid, path.to_string(), {}, innermost->second.front()}};
}

std::vector<Finding> find_faults(const Schema::Compiled& compiled, const Json& object) {
  const Objections objections = ask_valijson(compiled, object);
  Walk walk(objections);
  walk.visit(compiled.root, object, FieldPath());
  std::vector<Finding> findings = walk.take();
  if (findings.empty() && !objections.empty()) findings.push_back(unexplained(objections));
  return findings;
}

}  // namespace

std::vector<FieldError> validate(const Schema& schema, const Json& object, const Json* old) {
  if (deeper_than(object, kMaxDepth)) {
    return {{FieldErrorType::kInvalid,
             FieldPath().to_string(),
             {},
             "must not be nested deeper than " + std::to_string(kMaxDepth) + " levels"}};
  }
  Json normal = object;
  normalise(normal);
  const Json& root = schema.compiled().root;
  std::vector<FieldError> errors;
  for (Finding& finding : find_faults(schema.compiled(), normal)) {
    if (old != nullptr && unchanged(root, normal, *old, finding.steps)) continue;
    if (std::find(errors.begin(), errors.end(), finding.error) != errors.end()) continue;
    errors.push_back(std::move(finding.error));
  }
  return errors;
}

}  // namespace pgc::schema
