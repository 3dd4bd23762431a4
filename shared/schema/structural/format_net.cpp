// Addresses and URIs: what Go's net, net/url and net/mail take.
#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "shared/schema/structural/format.h"

namespace pgc::schema {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A decimal number up to `max`. Leading zeros may be allowed for old times' sake.
bool is_decimal(std::string_view text, int max, bool leading_zeros) {
  if (text.empty() || text.size() > 8 || !std::all_of(text.begin(), text.end(), is_digit)) {
    return false;
  }
  if (!leading_zeros && text.size() > 1 && text.front() == '0') return false;
  int value = 0;
  for (char c : text) value = value * 10 + (c - '0');
  return value <= max;
}

bool is_dotted(std::string_view text, bool leading_zeros) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (i == 3)) return false;
    if (!is_decimal(text.substr(0, dot), 255, leading_zeros)) return false;
    if (i < 3) text.remove_prefix(dot + 1);
  }
  return true;
}

bool is_group(std::string_view text) {
  return !text.empty() && text.size() <= 4 && std::all_of(text.begin(), text.end(), is_hex);
}

// How many groups of 16 bits; nothing where it is no list of them. A final dotted address is two.
std::optional<int> groups(std::string_view text, bool leading_zeros) {
  int count = 0;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    const bool last = colon == std::string_view::npos;
    if (last && part.find('.') != std::string_view::npos) {
      return is_dotted(part, leading_zeros) ? std::optional(count + 2) : std::nullopt;
    }
    if (!is_group(part)) return std::nullopt;
    ++count;
    if (last) break;
    text.remove_prefix(colon + 1);
    if (text.empty()) return std::nullopt;
  }
  return count;
}

bool is_colon_separated(std::string_view text, bool leading_zeros) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return groups(text, leading_zeros) == 8;
  const std::string_view head = text.substr(0, gap);
  if (head.find('.') != std::string_view::npos) return false;
  const auto before = groups(head, leading_zeros);
  const auto after = groups(text.substr(gap + 2), leading_zeros);
  return before && after && *before + *after < 8;
}

bool is_address(std::string_view text, bool leading_zeros) {
  const std::size_t first = text.find_first_of(".:");
  if (first == std::string_view::npos) return false;
  return text[first] == '.' ? is_dotted(text, leading_zeros)
                            : is_colon_separated(text, leading_zeros);
}

// %XX where there is a %.
bool is_escaped(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
  }
  return true;
}

bool is_port(std::string_view text) {
  if (text.empty()) return true;
  return text.front() == ':' && std::all_of(text.begin() + 1, text.end(), is_digit);
}

bool is_host(std::string_view host) {
  constexpr std::string_view kAllowed = "-_.~!$&'()*+,;=:[]<>\"";
  if (host.starts_with('[')) {
    const std::size_t end = host.rfind(']');
    if (end == std::string_view::npos || !is_port(host.substr(end + 1))) return false;
  } else if (const std::size_t colon = host.rfind(':'); colon != std::string_view::npos) {
    if (!is_port(host.substr(colon))) return false;
  }
  for (std::size_t i = 0; i < host.size(); ++i) {
    const char c = host[i];
    if (c == '%') {
      const bool high = host.size() > i + 1 && host[i + 1] >= '8';
      if (!high && host.substr(i, 3) != "%25") return false;
      continue;
    }
    const bool plain = is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
    if (!plain && kAllowed.find(c) == std::string_view::npos) return false;
  }
  return is_escaped(host);
}

bool is_user(std::string_view text) {
  constexpr std::string_view kAllowed = "-._:~!$&'()*+,;=%@";
  return is_escaped(text) && std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter(c) || is_digit(c) || kAllowed.find(c) != std::string_view::npos;
         });
}

bool is_authority(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return is_host(text);
  return is_host(text.substr(at + 1)) && is_user(text.substr(0, at));
}

// The scheme's length; 0: there is none; nothing: it begins with its end.
std::optional<std::size_t> scheme_size(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c)) continue;
    if (c == ':') return i == 0 ? std::nullopt : std::optional(i);
    if (i == 0 || !(is_digit(c) || c == '+' || c == '-' || c == '.')) return 0;
  }
  return 0;
}

}  // namespace

bool is_ipv4(const std::string& text) {
  return text.find('.') != std::string::npos && is_address(text, true);
}

bool is_ipv6(const std::string& text) {
  return text.find(':') != std::string::npos && is_address(text, false);
}

bool is_cidr(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return false;
  const std::string_view address = std::string_view(text).substr(0, slash);
  const int bits = address.find(':') == std::string_view::npos ? 32 : 128;
  return is_address(address, true) &&
         is_decimal(std::string_view(text).substr(slash + 1), bits, true);
}

bool is_mac(const std::string& text) {
  static const re2::RE2 kMac(
      "^([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}|[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){7}|"
      "[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){19}|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){5}|"
      "[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){7}|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){19}|"
      "[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){2}|[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){3}|"
      "[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){9})$");
  return re2::RE2::PartialMatch(text, kMac);
}

bool is_uri(const std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.empty() || std::any_of(text.begin(), text.end(), is_control)) return false;
  if (text == "*") return true;
  std::string_view rest = text;
  const auto scheme = scheme_size(rest);
  if (!scheme) return false;
  if (*scheme > 0) rest.remove_prefix(*scheme + 1);
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) return *scheme > 0;
  if (*scheme > 0 && rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::string_view authority = rest.substr(0, rest.find('/'));
    if (!is_authority(authority)) return false;
    rest.remove_prefix(authority.size());
  }
  return is_escaped(rest);
}

// An address alone, or in angle brackets behind a name. Comments, groups and escapes inside quotes,
// which net/mail takes as well, are not looked into.
bool is_email(const std::string& text) {
  static const std::string kAtom = R"([\w!#$%&'*+/=?^`{|}~\x{80}-\x{10FFFF}-]+)";
  static const std::string kDots = kAtom + "(?:\\." + kAtom + ")*";
  static const std::string kAddress =
      "(?:" + kDots + "|\"[^\"]*\")[ \\t]*@[ \\t]*(?:" + kDots + R"(|\[[0-9a-fA-F:.]+\]))";
  static const re2::RE2 kAlone(R"(\s*)" + kAddress + R"(\s*)");
  static const re2::RE2 kNamed(R"(\s*(?:(?:)" + kAtom + R"(|"[^"]*"|\.)\s*)*<)" + kAddress +
                               R"(>\s*)");
  return re2::RE2::FullMatch(text, kAlone) || re2::RE2::FullMatch(text, kNamed);
}

}  // namespace pgc::schema
