#include "shared/schema/structural/names.h"

#include <algorithm>
#include <string_view>

namespace pgc::schema {
namespace {

constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kSubdomainMax = 253;

const std::string kLabelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const std::string kKeyFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const std::string kKeyText =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character";

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

bool is_label(std::string_view text) {
  if (text.empty() || text.front() == '-' || text.back() == '-') return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_key(std::string_view text) {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// Old functions of Kubernetes count characters, newer ones bytes; both mean bytes.
std::string too_long(std::size_t max, const std::string& unit) {
  return "must be no more than " + std::to_string(max) + " " + unit;
}

std::string unlike(const std::string& text, const std::string& expression,
                   const std::vector<std::string>& examples) {
  std::string result = text + " (e.g. ";
  for (const std::string& example : examples) {
    if (&example != &examples.front()) result += " or ";
    result += "'" + example + "', ";
  }
  return result + "regex used for validation is '" + expression + "')";
}

std::string unlike_key() {
  return unlike(kKeyText, kKeyFormat, {"MyName", "my.name", "123-abc"});
}

Complaints check_key_name(const std::string& name) {
  Complaints complaints;
  if (name.empty()) {
    complaints.emplace_back("name part must be non-empty");
  } else if (name.size() > kLabelMax) {
    complaints.push_back("name part " + too_long(kLabelMax, "bytes"));
  }
  if (!is_key(name)) complaints.push_back("name part " + unlike_key());
  return complaints;
}

Complaints check_subdomain(const std::string& text, const std::string& unit) {
  Complaints complaints;
  if (text.size() > kSubdomainMax) complaints.push_back(too_long(kSubdomainMax, unit));
  if (!is_subdomain(text)) {
    complaints.push_back(
        unlike("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
               "'-' or '.', and must start and end with an alphanumeric character",
               kLabelFormat + "(\\." + kLabelFormat + ")*", {"example.com"}));
  }
  return complaints;
}

Complaints check_key_prefix(const std::string& prefix) {
  if (prefix.empty()) return {"prefix part must be non-empty"};
  Complaints complaints = check_subdomain(prefix, "bytes");
  for (std::string& complaint : complaints) complaint = "prefix part " + complaint;
  return complaints;
}

}  // namespace

Complaints check_subdomain(const std::string& text) {
  return check_subdomain(text, "characters");
}

Complaints check_label(const std::string& text) {
  Complaints complaints;
  if (text.size() > kLabelMax) complaints.push_back(too_long(kLabelMax, "characters"));
  if (is_label(text)) return complaints;
  complaints.push_back(
      is_subdomain(text)
          ? "must not contain dots"
          : unlike("a lowercase RFC 1123 label must consist of lower case alphanumeric characters "
                   "or '-', and must start and end with an alphanumeric character",
                   kLabelFormat, {"my-name", "123-abc"}));
  return complaints;
}

Complaints check_1035_label(const std::string& text) {
  Complaints complaints;
  if (text.size() > kLabelMax) complaints.push_back(too_long(kLabelMax, "characters"));
  if (!is_label(text) || text.front() < 'a') {
    complaints.push_back(
        unlike("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start "
               "with an alphabetic character, and end with an alphanumeric character",
               "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return complaints;
}

Complaints check_label_key(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return check_key_name(text);
  if (text.find('/', slash + 1) != std::string::npos) {
    return {"a valid label key " + unlike_key() +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  Complaints complaints = check_key_prefix(text.substr(0, slash));
  const Complaints of_name = check_key_name(text.substr(slash + 1));
  complaints.insert(complaints.end(), of_name.begin(), of_name.end());
  return complaints;
}

Complaints check_label_value(const std::string& text) {
  Complaints complaints;
  if (text.size() > kLabelMax) complaints.push_back(too_long(kLabelMax, "bytes"));
  if (!text.empty() && !is_key(text)) {
    complaints.push_back(
        unlike("a valid label must be an empty string or consist of alphanumeric "
               "characters, '-', '_' or '.', and must start and end with an "
               "alphanumeric character",
               "(" + kKeyFormat + ")?", {"MyValue", "my_value", "12345"}));
  }
  return complaints;
}

Complaints check_path_segment(const std::string& text) {
  if (text == "." || text == "..") return {"may not be '" + text + "'"};
  return check_path_segment_prefix(text);
}

Complaints check_path_segment_prefix(const std::string& text) {
  Complaints complaints;
  for (const char* part : {"/", "%"}) {
    if (text.find(part) != std::string::npos) {
      complaints.push_back("may not contain '" + std::string(part) + "'");
    }
  }
  return complaints;
}

}  // namespace pgc::schema
