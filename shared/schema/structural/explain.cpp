#include "shared/schema/structural/explain.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/go_text.h"

namespace pgc::schema {
namespace {

std::int64_t size_of(const Json& value) {
  return static_cast<std::int64_t>(value.size());
}

class Explainer {
 public:
  Explainer(const Node& node, const Json& value, std::string path, const Correlation& at)
      : node_(node), value_(value), path_(std::move(path)), at_(at) {}

  // What is wrong with the value, unless it is as it was.
  Findings ratcheted() {
    Findings findings = explain();
    if (!findings.ok() && at_ && at_.unchanged()) findings.errors.clear();
    return findings;
  }

  Findings explain() {
    if (value_.is_null()) {
      findings_.merge(explain_type(node_, value_, path_));
      findings_.merge(explain_enum(node_, value_, path_));
      return std::move(findings_);
    }
    if (node_.types != 0 || !node_.format.empty()) part(explain_type(node_, value_, path_));
    part(combined());
    if (value_.is_string()) part(explain_string(node_, value_, path_));
    if (value_.is_string() && node_.format_check != nullptr) {
      part(explain_format(node_, value_, path_));
    }
    if (value_.is_number()) part(explain_number(node_, value_, path_));
    if (value_.is_array()) part(array());
    part(explain_enum(node_, value_, path_));
    if (value_.is_object()) part(object());
    ++findings_.matches;
    return std::move(findings_);
  }

 private:
  void part(Findings findings) {
    findings_.merge(std::move(findings));
    ++findings_.matches;
  }

  Findings branch(const Node& node) const { return Explainer(node, value_, path_, at_).explain(); }

  std::string quoted_path() const { return go_quoted(path_); }

  Findings combined() const {
    Findings result;
    if (!node_.any_of.empty()) result.merge(any_of());
    if (!node_.one_of.empty()) result.merge(one_of());
    if (!node_.all_of.empty()) result.merge(all_of());
    if (node_.negated != nullptr && branch(*node_.negated).ok()) {
      result.add(nameless(quoted_path() + " must not validate the schema (not)"));
    }
    ++result.matches;
    return result;
  }

  Findings any_of() const {
    Findings best;
    for (std::size_t i = 0; i < node_.any_of.size(); ++i) {
      Findings found = branch(node_.any_of[i]);
      if (found.ok()) return found;
      if (i == 0 || found.matches > best.matches) best = std::move(found);
    }
    Findings result;
    result.add(nameless(quoted_path() + " must validate at least one schema (anyOf)"));
    result.merge(std::move(best));
    return result;
  }

  Findings one_of() const {
    Findings best;
    Findings first;
    int right = 0;
    bool failed = false;
    for (const Node& node : node_.one_of) {
      Findings found = branch(node);
      if (found.ok()) {
        if (right++ == 0) first = std::move(found);
      } else if (!std::exchange(failed, true) || found.matches > best.matches) {
        best = std::move(found);
      }
    }
    if (right == 1) return first;
    Findings result;
    const std::string how =
        right == 0 ? "Found none valid" : "Found " + std::to_string(right) + " valid alternatives";
    result.add(nameless(quoted_path() + " must validate one and only one schema (oneOf). " + how));
    if (right == 0) result.merge(std::move(best));
    return result;
  }

  Findings all_of() const {
    Findings result;
    std::size_t right = 0;
    for (const Node& node : node_.all_of) {
      Findings found = branch(node);
      if (found.ok()) ++right;
      result.merge(std::move(found));
    }
    if (right == node_.all_of.size()) return result;
    result.add(nameless(quoted_path() + " must validate all the schemas (allOf)" +
                        (right == 0 ? ". None validated" : "")));
    return result;
  }

  Findings array() const {
    Findings result;
    for (std::size_t i = 0; node_.items != nullptr && i < value_.size(); ++i) {
      const std::string path = path_ + "[" + std::to_string(i) + "]";
      result.merge(Explainer(*node_.items, value_[i], path, at_.item(i)).ratcheted());
    }
    if (node_.min_items && size_of(value_) < *node_.min_items) {
      result.add(too_few(*node_.min_items, "items"));
    }
    if (node_.max_items && size_of(value_) > *node_.max_items) result.add(many(*node_.max_items));
    ++result.matches;
    return result;
  }

  Findings object() const {
    Findings result;
    if (node_.min_properties && size_of(value_) < *node_.min_properties) {
      result.add(too_few(*node_.min_properties, "properties"));
    }
    if (node_.max_properties && size_of(value_) > *node_.max_properties) {
      result.add(many(*node_.max_properties));
    }
    for (const auto& [key, child] : value_.items()) result.merge(field(key, child));
    for (const std::string& key : node_.required) {
      if (!value_.contains(key)) result.add(required(field_of(path_ + "." + key)));
    }
    return result;
  }

  Findings field(const std::string& key, const Json& child) const {
    const auto own = node_.properties.find(key);
    if (own != node_.properties.end()) {
      const std::string path = path_.empty() ? key : path_ + "." + key;
      return Explainer(own->second, child, path, correlated(key)).ratcheted();
    }
    const std::string path = path_ + "." + key;
    if (node_.others != nullptr) {
      return Explainer(*node_.others, child, path, correlated(key)).ratcheted();
    }
    Findings result;
    if (node_.forbids_others) {
      result.add(invalid(field_of(path_), key, path + " in body is a forbidden property"));
    }
    return result;
  }

  // A change of apiVersion cannot be seen, as both objects are of the same version by now.
  Correlation correlated(const std::string& key) const {
    if (path_.empty() && (key == "kind" || key == "apiVersion")) return {};
    return at_.field(key);
  }

  FieldError too_few(std::int64_t wanted, const std::string& what) const {
    return invalid(field_of(path_), size_of(value_),
                   path_ + " in body should have at least " + std::to_string(wanted) + " " + what);
  }

  FieldError many(std::int64_t allowed) const {
    return too_many(field_of(path_), value_.size(), static_cast<std::size_t>(allowed));
  }

  const Node& node_;
  const Json& value_;
  const std::string path_;
  const Correlation at_;
  Findings findings_;
};

}  // namespace

void Findings::add(FieldError error) {
  if (std::find(errors.begin(), errors.end(), error) == errors.end()) {
    errors.push_back(std::move(error));
  }
}

void Findings::merge(Findings other) {
  for (FieldError& error : other.errors) add(std::move(error));
  matches += other.matches;
}

FieldPath field_of(const std::string& path) {
  return FieldPath(path.starts_with('.') ? path.substr(1) : path);
}

FieldError nameless(std::string text) {
  return invalid(FieldPath(), "", std::move(text));
}

std::vector<FieldError> explain(const Node& root, const Json& object, const Json* old) {
  const Correlation at = old == nullptr ? Correlation() : Correlation{&root, &object, old};
  return Explainer(root, object, "", at).ratcheted().errors;
}

}  // namespace pgc::schema
