#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"

namespace pgc::schema {
namespace {

// The names of Services and StatefulSets are made of it, and Patroni's scope: `my-db-ha-config`.
constexpr std::size_t kMaxName = 40;
constexpr std::size_t kRandomPart = 5;  // what the API server appends to generateName

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_letter_or_digit(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

bool is_dns_1035_label(const std::string& name) {
  return !name.empty() && is_letter(name.front()) && is_letter_or_digit(name.back()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

}  // namespace

void check_name(const Change& change, Verdict& verdict) {
  const Json* name = find(change.object, {"metadata", "name"});
  if (name == nullptr || !name->is_string()) return;  // generateName: the API server makes it later
  const auto& text = name->get_ref<const std::string&>();
  if (text.size() <= kMaxName && is_dns_1035_label(text)) return;
  verdict.errors.push_back(invalid(FieldPath("metadata.name"), *name,
                                   "must be at most 40 lower-case letters, digits and '-', begin "
                                   "with a letter and end with a letter "
                                   "or digit, such as my-db"));
}

// The API server makes the name of it after admission.
void check_generated_name(const Change& change, Verdict& verdict) {
  const Json* prefix = find(change.object, {"metadata", "generateName"});
  if (prefix == nullptr || !prefix->is_string()) return;
  if (find(change.object, {"metadata", "name"}) != nullptr) return;
  const auto& text = prefix->get_ref<const std::string&>();
  if (text.size() + kRandomPart <= kMaxName && is_dns_1035_label(text + "x")) return;
  verdict.errors.push_back(
      invalid(FieldPath("metadata.generateName"), *prefix,
              "must be at most 35 lower-case letters, digits and '-', and begin "
              "with a letter, such as my-db-"));
}

}  // namespace pgc::schema
