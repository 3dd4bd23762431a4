#include "shared/schema/structural/format.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <utility>

#include "shared/schema/structural/node.h"
#include "shared/schema/structural/time_format.h"

namespace pgc::schema {
namespace {

bool matches(const std::string& text, const re2::RE2& expression) {
  return re2::RE2::PartialMatch(text, expression);
}

bool is_any(const std::string&) {
  return true;
}

bool is_object_id(const std::string& text) {
  static const re2::RE2 kId("^[0-9a-fA-F]{24}$");
  return matches(text, kId);
}

bool has_length(const std::string& text, std::size_t low, std::size_t high) {
  const std::size_t length = length_of(text);
  return length >= low && length <= high;
}

// A part before a dot.
bool is_host_part(const std::string& text) {
  static const re2::RE2 kPart(
      R"(^[a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\p{S}\p{L}-]*[a-zA-Z0-9\p{S}\p{L}])?$)");
  return has_length(text, 1, 63) && matches(text, kPart);
}

// Of one part, or of several of which the last is of letters. The API server's own expression for
// all of it counts up to 63 three times over large classes, which RE2 finds too large.
bool is_hostname(const std::string& text) {
  static const re2::RE2 kSingle(R"(^[a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]*)$)");
  static const re2::RE2 kLast(R"(^[a-zA-Z\p{L}]+$)");
  if (text.size() > 255) return false;
  std::string rest = text;
  for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
    const std::string part = rest.substr(0, dot);
    if (part.size() > 63 || !is_host_part(part)) return false;
    rest.erase(0, dot + 1);
  }
  if (rest.size() > 63) return false;
  const bool single = rest.size() == text.size();
  return single ? matches(rest, kSingle) : has_length(rest, 2, 63) && matches(rest, kLast);
}

bool is_uuid(const std::string& text) {
  static const re2::RE2 kId(
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return matches(text, kId);
}

bool is_uuid3(const std::string& text) {
  static const re2::RE2 kId(
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return matches(text, kId);
}

bool is_uuid4(const std::string& text) {
  static const re2::RE2 kId(
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
  return matches(text, kId);
}

bool is_uuid5(const std::string& text) {
  static const re2::RE2 kId(
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
  return matches(text, kId);
}

std::string without(std::string text, const re2::RE2& expression) {
  re2::RE2::GlobalReplace(&text, expression, "");
  return text;
}

int digit(char c) {
  return c - '0';
}

bool is_isbn10(const std::string& text) {
  static const re2::RE2 kSpaces(R"([\s-]+)");
  static const re2::RE2 kIsbn("^(?:[0-9]{9}X|[0-9]{10})$");
  const std::string number = without(text, kSpaces);
  if (!matches(number, kIsbn)) return false;
  int sum = 10 * (number[9] == 'X' ? 10 : digit(number[9]));
  for (int i = 0; i < 9; ++i) sum += (i + 1) * digit(number[static_cast<std::size_t>(i)]);
  return sum % 11 == 0;
}

bool is_isbn13(const std::string& text) {
  static const re2::RE2 kSpaces(R"([\s-]+)");
  static const re2::RE2 kIsbn("^[0-9]{13}$");
  const std::string number = without(text, kSpaces);
  if (!matches(number, kIsbn)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 12; ++i) sum += digit(number[i]) * (i % 2 == 0 ? 1 : 3);
  return digit(number[12]) == (10 - sum % 10) % 10;
}

bool is_isbn(const std::string& text) {
  return is_isbn10(text) || is_isbn13(text);
}

bool is_credit_card(const std::string& text) {
  static const re2::RE2 kOthers("[^0-9]+");
  static const re2::RE2 kCard(
      R"(^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$)");
  const std::string number = without(text, kOthers);
  if (!matches(number, kCard)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    const int value = digit(number[number.size() - 1 - i]) * (i % 2 == 0 ? 1 : 2);
    sum += value >= 10 ? value - 9 : value;
  }
  return sum % 10 == 0;
}

bool is_ssn(const std::string& text) {
  static const re2::RE2 kNumber(R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)");
  return text.size() == 11 && matches(text, kNumber);
}

bool is_hex_color(const std::string& text) {
  static const re2::RE2 kColor("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$");
  return matches(text, kColor);
}

bool is_rgb_color(const std::string& text) {
  static const re2::RE2 kColor(
      R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)");
  return matches(text, kColor);
}

bool is_base64(const std::string& text) {
  static const re2::RE2 kText(
      R"(^(?:[A-Za-z0-9+\/]{4})*(?:[A-Za-z0-9+\/]{2}==|[A-Za-z0-9+\/]{3}=|[A-Za-z0-9+\/]{4})$)");
  return matches(text, kText);
}

bool is_short_name(const std::string& text) {
  static const re2::RE2 kName("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
  return text.size() <= 63 && matches(text, kName);
}

bool is_long_name(const std::string& text) {
  static const re2::RE2 kName(
      R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)");
  return text.size() <= 253 && matches(text, kName);
}

using Check = bool (*)(const std::string&);
constexpr std::array<std::pair<std::string_view, Check>, 26> kFormats = {
    {{"bsonobjectid", is_object_id},
     {"uri", is_uri},
     {"email", is_email},
     {"hostname", is_hostname},
     {"ipv4", is_ipv4},
     {"ipv6", is_ipv6},
     {"cidr", is_cidr},
     {"mac", is_mac},
     {"uuid", is_uuid},
     {"uuid3", is_uuid3},
     {"uuid4", is_uuid4},
     {"uuid5", is_uuid5},
     {"isbn", is_isbn},
     {"isbn10", is_isbn10},
     {"isbn13", is_isbn13},
     {"creditcard", is_credit_card},
     {"ssn", is_ssn},
     {"hexcolor", is_hex_color},
     {"rgbcolor", is_rgb_color},
     {"byte", is_base64},
     {"password", is_any},
     {"date", is_date},
     {"duration", is_duration},
     {"datetime", is_date_time},
     {"k8sshortname", is_short_name},
     {"k8slongname", is_long_name}}};

}  // namespace

Check format_check(std::string_view format) {
  std::string name(format);
  std::erase(name, '-');
  for (const auto& [known, check] : kFormats) {
    if (known == name) return check;
  }
  return nullptr;
}

}  // namespace pgc::schema
