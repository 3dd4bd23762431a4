// The insides of a Schema: the structural schema as it came, and what valijson makes of it.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "shared/schema/structural/crd.h"

namespace valijson {
class Schema;
}

namespace pgc::schema {

struct Schema::Compiled {
  Json root;
  std::shared_ptr<const valijson::Schema> verdict;  // shared: an incomplete type is enough here
  std::size_t rule_count = 0;
};

// The regular expressions of the API server (RE2), for valijson and for ourselves.
class Pattern {
 public:
  explicit Pattern(const std::string& pattern)
      : expression_(std::make_shared<re2::RE2>(pattern, re2::RE2::Quiet)) {}

  // A pattern that does not compile matches nothing; Schema::compile refuses it.
  static bool search(const std::string& text, const Pattern& pattern) {
    return pattern.ok() && re2::RE2::PartialMatch(text, *pattern.expression_);
  }
  bool ok() const { return expression_->ok(); }
  const std::string& error() const { return expression_->error(); }

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace pgc::schema
