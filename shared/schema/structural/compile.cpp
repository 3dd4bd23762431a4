// From a structural schema to valijson's: JSON Schema of draft 4, which OpenAPI 3.0 grew from (its
// exclusiveMinimum is a boolean). What only Kubernetes knows is rewritten or left to our own code.
#include <array>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

constexpr int kMaxSchemaDepth = 256;
constexpr std::array kSchemas = {"items", "additionalProperties", "not"};
constexpr std::array kListsOfSchemas = {"allOf", "anyOf", "oneOf"};
constexpr std::array kTakenAsTheyAre = {
    "required",         "enum",          "minimum",       "maximum",   "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf",    "minLength",     "maxLength", "minItems",
    "maxItems",         "minProperties", "maxProperties", "pattern"};

struct Problem {
  std::string text;
};

// Walks the schema once; throws Problem, which Schema::compile turns into its error.
class Rewriter {
 public:
  Json rewrite(const Json& node, const std::string& path) {
    if (!node.is_object()) throw Problem{path + ": must be a schema, an object"};
    count_rules(node);
    Json result = Json::object();
    for (const char* keyword : kTakenAsTheyAre) {
      if (const Json* value = member(node, keyword)) result[keyword] = *value;
    }
    check_pattern(node, path);
    rewrite_type(node, result);
    rewrite_children(node, path, result);
    return result;
  }

  std::size_t rule_count() const { return rule_count_; }

 private:
  void count_rules(const Json& node) {
    if (const Json* rules = member(node, "x-kubernetes-validations")) rule_count_ += rules->size();
  }

  static void check_pattern(const Json& node, const std::string& path) {
    const Json* pattern = member(node, "pattern");
    if (pattern == nullptr) return;
    if (!pattern->is_string()) throw Problem{path + ".pattern: must be a string"};
    const Pattern compiled(pattern->get<std::string>());
    if (!compiled.ok()) {
      throw Problem{path + ".pattern: must be a regular expression of RE2: " + compiled.error()};
    }
  }

  static void rewrite_type(const Json& node, Json& result) {
    Json types = Json::array();
    if (is_int_or_string(node)) {
      types = {"integer", "string"};
    } else if (const std::string type = type_of_node(node); !type.empty()) {
      types.push_back(type);
    }
    if (types.empty()) return;
    if (is_nullable(node)) types.push_back("null");
    result["type"] = types;
  }

  void rewrite_children(const Json& node, const std::string& path, Json& result) {
    if (const Json* properties = member(node, "properties")) {
      if (!properties->is_object()) throw Problem{path + ".properties: must be an object"};
      for (const auto& [name, child] : properties->items()) {
        result["properties"][name] = rewrite(child, path + ".properties[" + name + "]");
      }
    }
    for (const char* keyword : kSchemas) {
      const Json* child = member(node, keyword);
      if (child == nullptr || child->is_boolean()) continue;
      result[keyword] = rewrite(*child, path + "." + keyword);
    }
    for (const char* keyword : kListsOfSchemas) rewrite_list(node, keyword, path, result);
  }

  void rewrite_list(const Json& node, const char* keyword, const std::string& path, Json& result) {
    const Json* children = member(node, keyword);
    if (children == nullptr) return;
    for (std::size_t i = 0; i < children->size(); ++i) {
      const std::string child_path = path + "." + keyword + "[" + std::to_string(i) + "]";
      result[keyword].push_back(rewrite(children->at(i), child_path));
    }
  }

  std::size_t rule_count_ = 0;
};

std::shared_ptr<const valijson::Schema> compile_verdict(const Json& draft4) {
  auto schema = std::make_shared<valijson::Schema>();
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft4);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(draft4), *schema);
  return schema;
}

}  // namespace

std::expected<Schema, std::string> Schema::compile(const Json& open_api_schema) {
  if (deeper_than(open_api_schema, kMaxSchemaDepth)) {
    return std::unexpected("openAPIV3Schema: nested too deeply");
  }
  try {
    Rewriter rewriter;
    const Json draft4 = rewriter.rewrite(open_api_schema, "openAPIV3Schema");
    auto compiled = std::make_shared<Compiled>();
    compiled->root = open_api_schema;
    compiled->verdict = compile_verdict(draft4);
    compiled->rule_count = rewriter.rule_count();
    return Schema(std::move(compiled));
  } catch (const Problem& problem) {
    return std::unexpected(problem.text);
  } catch (
      const std::exception& error) {  // valijson and nlohmann throw on keywords of a wrong type
    return std::unexpected(std::string("openAPIV3Schema: ") + error.what());
  }
}

std::size_t Schema::rule_count() const {
  return compiled_->rule_count;
}

}  // namespace pgc::schema
