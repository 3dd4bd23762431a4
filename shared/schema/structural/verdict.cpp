// From a structural schema to valijson's: JSON Schema of draft 4, which OpenAPI 3.0 grew from (its
// exclusiveMinimum is a boolean). What only Kubernetes knows is rewritten or left to our own code.
#include "shared/schema/structural/verdict.h"

#include <re2/re2.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

constexpr std::array kSchemas = {"items", "additionalProperties", "not"};
constexpr std::array kListsOfSchemas = {"allOf", "anyOf", "oneOf"};
constexpr std::array kTakenAsTheyAre = {
    "required",         "enum",          "minimum",       "maximum",   "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf",    "minLength",     "maxLength", "minItems",
    "maxItems",         "minProperties", "maxProperties", "pattern"};

// The regular expressions of the API server, for valijson.
class Pattern {
 public:
  explicit Pattern(const std::string& pattern)
      : expression_(std::make_shared<re2::RE2>(pattern, re2::RE2::Quiet)) {}

  static bool search(const std::string& text, const Pattern& pattern) {
    return re2::RE2::PartialMatch(text, *pattern.expression_);
  }

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

Json draft4(const Json& node);

Json types_of(const Json& node) {
  Json types = Json::array();
  if (is_int_or_string(node)) {
    types = {"integer", "string"};
  } else if (const std::string type = type_of_node(node); !type.empty()) {
    types.push_back(type);
  }
  if (!types.empty() && is_nullable(node)) types.push_back("null");
  return types;
}

void rewrite_children(const Json& node, Json& result) {
  if (const Json* properties = member(node, "properties")) {
    for (const auto& [name, child] : properties->items()) {
      result["properties"][name] = draft4(child);
    }
  }
  for (const char* keyword : kSchemas) {
    const Json* child = member(node, keyword);
    if (child == nullptr) continue;
    result[keyword] = child->is_boolean() ? *child : draft4(*child);
  }
  for (const char* keyword : kListsOfSchemas) {
    const Json* children = member(node, keyword);
    if (children == nullptr) continue;
    for (const Json& child : *children) result[keyword].push_back(draft4(child));
  }
}

Json draft4(const Json& node) {
  Json result = Json::object();
  for (const char* keyword : kTakenAsTheyAre) {
    const Json* value = member(node, keyword);
    if (value != nullptr && !value->is_null()) result[keyword] = *value;
  }
  // What draft 4 wants and the API server does not mind.
  if (const Json* required = member(result, "required"); required != nullptr && required->empty()) {
    result.erase("required");
  }
  if (!result.contains("minimum")) result.erase("exclusiveMinimum");
  if (!result.contains("maximum")) result.erase("exclusiveMaximum");
  if (const Json types = types_of(node); !types.empty()) result["type"] = types;
  rewrite_children(node, result);
  return result;
}

}  // namespace

std::shared_ptr<const valijson::Schema> compile_verdict(const Json& open_api_schema) {
  auto schema = std::make_shared<valijson::Schema>();
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft4);
  const Json rewritten = draft4(open_api_schema);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(rewritten), *schema);
  return schema;
}

bool passes(const valijson::Schema& schema, const Json& object) {
  // It compiles each pattern once and is not made for several threads.
  thread_local valijson::ValidatorT<Pattern> validator;
  return validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(object), nullptr);
}

}  // namespace pgc::schema
