#include "tests/agreement/twins.h"

#include <re2/re2.h>

#include <vector>

#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/validate.h"

namespace pgc::agreement {
namespace {

// Regular expressions for the messages of the CRD.
using Words = std::vector<std::string>;

// 'cannot go down from ' + oldSelf + ': keep it'  →  cannot go down from .*: keep it
std::string pattern_of(const std::string& expression) {
  std::string pattern;
  std::string literal;
  bool inside = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\' && inside && i + 1 < expression.size()) {
      literal += expression[++i];
    } else if (c == '\'') {
      if (inside) pattern += re2::RE2::QuoteMeta(literal);
      if (!inside && !pattern.ends_with(".*")) pattern += ".*";
      literal.clear();
      inside = !inside;
    } else if (inside) {
      literal += c;
    }
  }
  return pattern + ".*";
}

void collect(const Json& node, Words& words) {
  if (!node.is_structured()) return;
  const auto rules = node.is_object() ? node.find("x-kubernetes-validations") : node.end();
  if (rules != node.end()) {
    for (const Json& rule : *rules) {
      for (const char* key : {"message", "messageExpression"}) {
        if (!rule.contains(key)) continue;
        const auto text = rule.at(key).get<std::string>();
        const std::string pattern =
            key == std::string("message") ? re2::RE2::QuoteMeta(text) : pattern_of(text);
        words.push_back(pattern);
      }
    }
  }
  for (const Json& child : node) collect(child, words);
}

const Words& words_of(const Resource& resource) {
  thread_local Words words;
  if (words.empty()) collect(resource.open_api(), words);
  return words;
}

}  // namespace

std::optional<std::string> cel_words(const Resource& resource, const std::string& field,
                                     const std::string& message) {
  for (const auto& word : words_of(resource)) {
    std::string detail;
    const std::string pattern =
        "(?s)(?:Invalid value|Forbidden|Required value)(?:: .*?)?: (" + word + ")";
    if (re2::RE2::FullMatch(message, pattern, &detail)) return field + ": " + detail;
  }
  return std::nullopt;
}

std::set<std::string> twin_errors(const Resource& resource, const Json& object, const Json* old) {
  std::set<std::string> result;
  for (const schema::FieldError& error : schema::check(object, old).errors) {
    if (auto words = cel_words(resource, error.field, schema::message(error)))
      result.insert(*words);
  }
  return result;
}

}  // namespace pgc::agreement
