#include "tests/agreement/twins.h"

#include <re2/re2.h>

#include <memory>
#include <vector>

#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/validate.h"

namespace pgc::agreement {
namespace {

using Words = std::vector<std::shared_ptr<re2::RE2>>;

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
        words.push_back(std::make_shared<re2::RE2>("(?s)" + pattern));
      }
    }
  }
  for (const Json& child : node) collect(child, words);
}

bool speaks_cel(const Words& words, const std::string& detail) {
  for (const auto& word : words) {
    if (re2::RE2::FullMatch(detail, *word)) return true;
  }
  return false;
}

}  // namespace

std::set<std::string> twin_errors(const Resource& resource, const Json& object, const Json* old) {
  thread_local Words words;
  if (words.empty()) collect(resource.open_api(), words);
  std::set<std::string> result;
  for (const schema::FieldError& error : schema::check(object, old).errors) {
    if (speaks_cel(words, error.detail)) result.insert(schema::to_string(error));
  }
  return result;
}

}  // namespace pgc::agreement
