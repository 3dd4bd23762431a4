#include "shared/schema/structural/go_text.h"

#include <re2/re2.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "shared/schema/structural/utf8.h"

namespace pgc::schema {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::string hex(std::uint32_t number, int digits) {
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += kHex[(number >> shift) & 0xF];
  return text;
}

// What Go prints as it is: letters, marks, numbers, punctuation, symbols, and of spaces only ' '.
bool printable(std::string_view text) {
  static const re2::RE2 kPrintable(R"([\p{L}\p{M}\p{N}\p{P}\p{S} ]*)");
  return re2::RE2::FullMatch(text, kPrintable);
}

std::string escaped(std::string_view bytes, std::uint32_t value) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
  constexpr std::string_view kNames = "abfnrtv";
  if (bytes == "\"" || bytes == "\\") return "\\" + std::string(bytes);
  if (const auto named = kNamed.find(bytes); named != std::string_view::npos && bytes.size() == 1) {
    return {'\\', kNames[named]};
  }
  if (bytes.size() == 1) return "\\x" + hex(value, 2);
  return value < 0x10000 ? "\\u" + hex(value, 4) : "\\U" + hex(value, 8);
}

// The shortest digits that mean this number, in the notation that std::to_chars is told.
std::string digits(double number, std::chars_format format) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format);
  return {buffer.data(), end.ptr};
}

int exponent_of(const std::string& scientific) {
  const std::size_t e = scientific.find('e');
  return std::stoi(scientific.substr(e + 1));
}

std::string json_number(double number) {
  const double size = std::abs(number);
  if (size == 0 || (size >= 1e-6 && size < 1e21)) return digits(number, std::chars_format::fixed);
  std::string text = digits(number, std::chars_format::scientific);
  const std::size_t e = text.find("e-0");
  if (e != std::string::npos) text.erase(e + 2, 1);
  return text;
}

void append_json_text(const std::string& text, std::string& out) {
  const std::string plain = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string_view rest = std::string_view(plain).substr(i);
    if (rest[0] == '<' || rest[0] == '>' || rest[0] == '&') {
      out += "\\u00" + hex(static_cast<unsigned char>(rest[0]), 2);
    } else if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      out += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += rest[0];
    }
  }
}

void append_json(const Json& value, std::string& out) {
  const char* separator = "";
  if (value.is_object()) {
    out += '{';
    for (const auto& [key, child] : value.items()) {
      out += std::exchange(separator, ",");
      append_json_text(key, out);
      out += ':';
      append_json(child, out);
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    for (const Json& child : value) {
      out += std::exchange(separator, ",");
      append_json(child, out);
    }
    out += ']';
  } else if (value.is_string()) {
    append_json_text(value.get_ref<const std::string&>(), out);
  } else {
    out += value.is_number_float() ? json_number(value.get<double>()) : value.dump();
  }
}

}  // namespace

std::string go_quoted(const std::string& text) {
  if (printable(text) && text.find_first_of("\"\\") == std::string::npos) return '"' + text + '"';
  std::string result = "\"";
  for (std::string_view rest = text; !rest.empty();) {
    const CodePoint point = first_code_point(rest);
    const bool broken = point.size == 0;  // then Go shows the byte
    const std::string_view bytes = rest.substr(0, broken ? 1 : point.size);
    const auto value = broken ? static_cast<unsigned char>(rest.front()) : point.value;
    const bool plain = bytes != "\"" && bytes != "\\" && printable(bytes);
    result += plain ? std::string(bytes) : escaped(bytes, value);
    rest.remove_prefix(bytes.size());
  }
  return result + '"';
}

std::string go_number(double number) {
  if (number == 0) return std::signbit(number) ? "-0" : "0";
  std::string scientific = digits(number, std::chars_format::scientific);
  const int exponent = exponent_of(scientific);
  if (exponent < -4 || exponent >= 6) return scientific;
  return digits(number, std::chars_format::fixed);
}

std::string go_json(const Json& value) {
  std::string text;
  append_json(value, text);
  return text;
}

std::string go_value(const Json& value) {
  std::string separator;
  std::string text;
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      text += std::exchange(separator, " ") + key + ":" + go_value(child);
    }
    return "map[" + text + "]";
  }
  if (value.is_array()) {
    for (const Json& child : value) text += std::exchange(separator, " ") + go_value(child);
    return "[" + text + "]";
  }
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? go_number(value.get<double>()) : value.dump();
}

std::string go_rune(std::int64_t number) {
  const bool valid = number >= 0 && number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF);
  const auto rune = static_cast<std::uint32_t>(valid ? number : 0xFFFD);
  const auto tail = [rune](int shift) {
    return static_cast<char>(0x80U | ((rune >> shift) & 0x3FU));
  };
  if (rune < 0x80) return {static_cast<char>(rune)};
  if (rune < 0x800) return {static_cast<char>(0xC0U | rune >> 6), tail(0)};
  if (rune < 0x10000) return {static_cast<char>(0xE0U | rune >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | rune >> 18), tail(12), tail(6), tail(0)};
}

std::string go_type(const Json& value) {
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_array()) return "[]interface {}";
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_null()) return "<nil>";
  return value.is_number_float() ? "float64" : "int64";
}

}  // namespace pgc::schema
