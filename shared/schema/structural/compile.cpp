// The rules of a structural schema are those of k8s.io/apiextensions-apiserver/pkg/apiserver/schema
// and of pkg/apis/apiextensions/validation, as far as they make a difference to us.
#include "shared/schema/structural/compile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "shared/schema/structural/format.h"
#include "shared/schema/structural/node.h"
#include "shared/schema/structural/verdict.h"

namespace pgc::schema {
namespace {

constexpr int kMaxSchemaDepth = 256;

// Where a node stands decides what it must say.
enum class Place { kRoot, kField, kNested };  // nested: inside allOf, anyOf, oneOf or not

constexpr std::array<std::string_view, 7> kForbidden = {
    "$ref", "definitions", "patternProperties", "dependencies", "additionalItems", "id", "$schema"};
constexpr std::array<std::string_view, 8> kNotNested = {"default",
                                                        "nullable",
                                                        "additionalProperties",
                                                        "x-kubernetes-preserve-unknown-fields",
                                                        "x-kubernetes-embedded-resource",
                                                        "x-kubernetes-int-or-string",
                                                        "x-kubernetes-list-type",
                                                        "x-kubernetes-list-map-keys"};

class Compiler {
 public:
  Compiler(const Json& json, std::string path, Place place)
      : json_(json), path_(std::move(path)), place_(place) {}

  Node compile() {
    if (!json_.is_object()) fail("", "must be a schema, an object");
    forbid();
    read_type();
    read_format();
    read_flags();
    read_bounds();
    read_strings();
    read_list();
    read_children();
    require_structure();
    node_.subtle = !plain_bound(node_.minimum) || !plain_bound(node_.maximum) ||
                   holds_subtle(node_.any_of) || holds_subtle(node_.all_of) ||
                   holds_subtle(node_.one_of) ||
                   (node_.negated != nullptr && is_subtle(*node_.negated));
    return std::move(node_);
  }

 private:
  // The API server compares integers with the bound made an integer, and says of a bound that it
  // does not fit the type.
  bool plain_bound(const std::optional<double>& bound) const {
    const double limit = node_.format == "int32" ? 0x1p31 - 1 : 0x1p53;
    return !bound || (std::trunc(*bound) == *bound && std::abs(*bound) <= limit);
  }

  static bool is_subtle(const Node& node) {
    return any_node(node, [](const Node& inner) {
      return inner.subtle || !inner.format.empty() || inner.minimum || inner.maximum ||
             inner.multiple_of || !inner.choices.empty();
    });
  }
  static bool holds_subtle(const std::vector<Node>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), is_subtle);
  }

  [[noreturn]] void fail(const std::string& keyword, const std::string& text) const {
    throw SchemaProblem{path_ + (keyword.empty() ? "" : "." + keyword) + ": " + text};
  }

  // Null is as good as absent.
  const Json* at(const char* keyword) const {
    const Json* value = member(json_, keyword);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  bool flag(const char* keyword) const {
    const Json* value = at(keyword);
    if (value != nullptr && !value->is_boolean()) fail(keyword, "must be true or false");
    return value != nullptr && value->get<bool>();
  }

  std::string text(const char* keyword) const {
    const Json* value = at(keyword);
    if (value == nullptr) return {};
    if (!value->is_string()) fail(keyword, "must be a string");
    return value->get<std::string>();
  }

  std::optional<double> number(const char* keyword) const {
    const Json* value = at(keyword);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) fail(keyword, "must be a number");
    return value->get<double>();
  }

  std::optional<std::int64_t> count(const char* keyword) const {
    const Json* value = at(keyword);
    if (value == nullptr) return std::nullopt;
    if (!is_whole(*value) || value->get<double>() < 0)
      fail(keyword, "must be a whole number, at least 0");
    return value->get<std::int64_t>();
  }

  const Json* list(const char* keyword) const {
    const Json* value = at(keyword);
    if (value != nullptr && !value->is_array()) fail(keyword, "must be a list");
    return value;
  }

  std::vector<std::string> texts(const char* keyword) const {
    std::vector<std::string> result;
    const Json* values = list(keyword);
    if (values == nullptr) return result;
    for (const Json& value : *values) {
      if (!value.is_string()) fail(keyword, "must be a list of strings");
      result.push_back(value.get<std::string>());
    }
    return result;
  }

  void forbid() const {
    for (std::string_view keyword : kForbidden) {
      if (json_.contains(keyword))
        fail(std::string(keyword), "is not allowed in a structural schema");
    }
    if (flag("uniqueItems")) fail("uniqueItems", "must not be true; use x-kubernetes-list-type");
    if (place_ != Place::kNested) return;
    for (std::string_view keyword : kNotNested) {
      const Json* value = at(std::string(keyword).c_str());
      if (value != nullptr && *value != false) {
        fail(std::string(keyword), "must be undefined inside allOf, anyOf, oneOf and not");
      }
    }
  }

  void read_type() {
    constexpr std::array<std::pair<std::string_view, Type>, 6> kTypes = {{{"object", kObject},
                                                                          {"array", kArray},
                                                                          {"string", kString},
                                                                          {"integer", kInteger},
                                                                          {"number", kNumber},
                                                                          {"boolean", kBoolean}}};
    node_.type_text = text("type");
    for (const auto& [name, bit] : kTypes) {
      if (name == node_.type_text) node_.types = bit;
    }
    if (!node_.type_text.empty() && node_.types == 0) {
      fail("type", "must be object, array, string, integer, number or boolean");
    }
    if (!flag("x-kubernetes-int-or-string")) return;
    node_.types = kInteger | kString;
    node_.type_text = "integer,string";
  }

  // What the API server does not know it does not look at.
  void read_format() {
    const std::string format = text("format");
    if (node_.only(kInteger)) {
      if (format == "int32" || format == "int64") node_.format = format;
    } else if (node_.only(kNumber)) {
      if (format == "float" || format == "double") node_.format = format;
    } else if (node_.types == 0 || node_.is(kString)) {
      node_.format_check = format_check(format);
      if (node_.format_check != nullptr) node_.format = format;
    }
  }

  void read_flags() {
    node_.nullable = flag("nullable");
    node_.preserves_unknown = flag("x-kubernetes-preserve-unknown-fields");
    node_.embedded_resource = flag("x-kubernetes-embedded-resource");
    const Json* value = at("default");
    node_.has_default = value != nullptr;
    if (value != nullptr) node_.default_value = *value;
  }

  void read_bounds() {
    node_.minimum = number("minimum");
    node_.maximum = number("maximum");
    node_.exclusive_minimum = flag("exclusiveMinimum");
    node_.exclusive_maximum = flag("exclusiveMaximum");
    node_.multiple_of = number("multipleOf");
    node_.min_length = count("minLength");
    node_.max_length = count("maxLength");
    node_.min_items = count("minItems");
    node_.max_items = count("maxItems");
    node_.min_properties = count("minProperties");
    node_.max_properties = count("maxProperties");
  }

  void read_strings() {
    if (const Json* choices = list("enum")) node_.choices = choices->get<std::vector<Json>>();
    node_.required = texts("required");
    node_.pattern = text("pattern");
    if (node_.pattern.empty()) return;
    node_.expression = std::make_shared<re2::RE2>(node_.pattern, re2::RE2::Quiet);
    if (!node_.expression->ok()) {
      fail("pattern", "must be a regular expression of RE2: " + node_.expression->error());
    }
  }

  void read_list() {
    const std::string type = text("x-kubernetes-list-type");
    node_.list_keys = texts("x-kubernetes-list-map-keys");
    if (type == "set") node_.list_type = ListType::kSet;
    if (type == "map") node_.list_type = ListType::kMap;
    if (type.empty() || type == "atomic" || type == "set") return;
    if (type != "map") fail("x-kubernetes-list-type", "must be atomic, set or map");
    if (node_.list_keys.empty())
      fail("x-kubernetes-list-map-keys", "must name the keys of a list-type map");
  }

  Node child(const Json& json, const std::string& where, Place place) const {
    return Compiler(json, path_ + "." + where, place).compile();
  }

  Place inner() const { return place_ == Place::kNested ? Place::kNested : Place::kField; }

  void read_children() {
    if (const Json* properties = at("properties")) {
      if (!properties->is_object()) fail("properties", "must be an object");
      for (const auto& [name, json] : properties->items()) {
        node_.properties.emplace(name, child(json, "properties[" + name + "]", inner()));
      }
    }
    read_others();
    if (const Json* items = at("items")) {
      node_.items = std::make_unique<Node>(child(*items, "items", inner()));
    }
    node_.all_of = nested("allOf");
    node_.any_of = nested("anyOf");
    node_.one_of = nested("oneOf");
    if (const Json* negated = at("not")) {
      node_.negated = std::make_unique<Node>(child(*negated, "not", Place::kNested));
    }
  }

  void read_others() {
    const Json* others = at("additionalProperties");
    if (others == nullptr) return;
    node_.forbids_others = *others == false;
    node_.allows_others = !node_.forbids_others;
    if (node_.allows_others && !node_.properties.empty()) {
      fail("additionalProperties", "must not stand beside properties");
    }
    if (place_ == Place::kRoot) fail("additionalProperties", "must not be used at the root");
    if (others->is_boolean()) return;
    node_.others = std::make_unique<Node>(child(*others, "additionalProperties", inner()));
  }

  std::vector<Node> nested(const char* keyword) {
    std::vector<Node> result;
    const Json* children = list(keyword);
    for (std::size_t i = 0; children != nullptr && i < children->size(); ++i) {
      const std::string where = std::string(keyword) + "[" + std::to_string(i) + "]";
      result.push_back(child((*children)[i], where, Place::kNested));
    }
    return result;
  }

  void require_structure() const {
    if (place_ == Place::kNested) return;
    if (node_.types == 0 && !node_.preserves_unknown) {
      fail("type", "must not be empty in a structural schema");
    }
    if (place_ == Place::kRoot && !node_.only(kObject)) fail("type", "must be object at the root");
    if (node_.is(kArray) && node_.items == nullptr) fail("items", "must be specified");
    if (node_.embedded_resource && !node_.only(kObject)) {
      fail("type", "must be object if x-kubernetes-embedded-resource is true");
    }
  }

  const Json& json_;
  const std::string path_;
  const Place place_;
  Node node_;
};

// A property may be called x-kubernetes-validations only where nobody would; it is not told apart.
std::size_t count_rules(const Json& json) {
  if (!json.is_structured()) return 0;
  std::size_t count = 0;
  for (const auto& [key, value] : json.items()) {
    const bool rules = json.is_object() && key == "x-kubernetes-validations" && value.is_array();
    count += rules ? value.size() : count_rules(value);
  }
  return count;
}

}  // namespace

Node compile_tree(const Json& open_api_schema, const std::string& path) {
  return Compiler(open_api_schema, path, Place::kRoot).compile();
}

std::expected<Schema, std::string> Schema::compile(const Json& open_api_schema) {
  if (deeper_than(open_api_schema, kMaxSchemaDepth)) {
    return std::unexpected("openAPIV3Schema: nested too deeply");
  }
  try {
    auto compiled = std::make_shared<Compiled>();
    compiled->root = open_api_schema;
    compiled->tree = compile_tree(open_api_schema, "openAPIV3Schema");
    compiled->verdict = compile_verdict(open_api_schema);
    compiled->rule_count = count_rules(open_api_schema);
    compiled->has_embedded =
        any_node(compiled->tree, [](const Node& node) { return node.embedded_resource; });
    compiled->has_unique_lists = any_node(
        compiled->tree, [](const Node& node) { return node.list_type != ListType::kAtomic; });
    return Schema(std::move(compiled));
  } catch (const SchemaProblem& problem) {
    return std::unexpected(problem.text);
  } catch (const std::exception& error) {  // what valijson throws at a keyword of a wrong type
    return std::unexpected(std::string("openAPIV3Schema: ") + error.what());
  }
}

std::size_t Schema::rule_count() const {
  return compiled_->rule_count;
}

}  // namespace pgc::schema
