#include "plugin/printers/document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "shared/schema/structural/yaml_scalar.h"

namespace pgc::plugin {
namespace {

using Json = nlohmann::json;

constexpr int kKubectlIndent = 4;

std::string dumped(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Go escapes what HTML would take for its own. Outside of strings JSON has none of these.
std::string with_go_escapes(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

bool has_control(const std::string& text, bool breaks_allowed) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n' && breaks_allowed) continue;
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (c < 0x20 || c == 0x7F || (c == 0xC2 && next >= 0x80 && next < 0xA0)) return true;
  }
  return false;
}

// Lines that a block keeps as they are, whoever reads it.
bool may_be_a_block(const std::string& text) {
  return text.find('\n') != std::string::npos && text[0] != ' ' && text[0] != '\n' &&
         text.find(" \n") == std::string::npos && text.back() != ' ' && !has_control(text, true);
}

// "|" keeps one line break at the end, "|-" none, "|+" all there are.
std::string block_of(const std::string& text, const std::string& indent) {
  std::string block = !text.ends_with('\n') ? "|-" : text.ends_with("\n\n") ? "|+" : "|";
  const std::string lines = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
  for (std::size_t at = 0; at <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    block += "\n" + (end == at ? "" : indent) + lines.substr(at, end - at);
    at = end + 1;
  }
  return block;
}

bool all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

// What YAML 1.1 takes for something else than a text: also dates, merges, and numbers with colons,
// which count in sixties.
bool means_itself(const std::string& text) {
  const auto read = schema::resolve_scalar(text);
  const bool date = text.size() >= 8 && all_of(text.substr(0, 4), "0123456789") && text[4] == '-';
  const bool sixties = text.find(':') != std::string::npos && all_of(text, "0123456789:._+-");
  const bool letter = text.size() == 1 && all_of(text, "yYnN");
  return read && *read == Json(text) && !date && !sixties && !letter && text != "<<";
}

bool may_stand_plain(const std::string& text) {
  static constexpr std::string_view kIndicators = "#,[]{}&*!|>'\"%@`-?:";
  return !text.empty() && kIndicators.find(text[0]) == std::string_view::npos && text[0] != ' ' &&
         text.back() != ' ' && text.back() != ':' && text.find(": ") == std::string::npos &&
         text.find(" #") == std::string::npos && !text.starts_with("...");
}

std::string in_single_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

// `indent`: of the lines of a block, where it becomes one.
std::string yaml_scalar(const Json& value, const std::string& indent) {
  if (!value.is_string()) return dumped(value, -1);
  const auto& text = value.get_ref<const std::string&>();
  if (may_be_a_block(text)) return block_of(text, indent);
  const bool control = has_control(text, false);
  if (control || !means_itself(text)) {
    return value.dump(-1, ' ', /*ensure_ascii=*/control, Json::error_handler_t::replace);
  }
  return may_stand_plain(text) ? text : in_single_quotes(text);
}

std::string yaml_key(const std::string& key) {
  return key.find('\n') == std::string::npos ? yaml_scalar(key, "") : dumped(key, -1);
}

bool is_block(const Json& value) {
  return value.is_structured() && !value.empty();
}

// `indent` is where the lines of a block begin; the first one's is there already.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the object, which the API server bounds
void print_block(std::ostream& out, const Json& value, const std::string& indent) {
  std::string before;
  for (const auto& [key, item] : value.items()) {
    out << before;
    before = indent;
    if (value.is_array()) {
      out << "- ";
    } else {
      out << yaml_key(key) << (is_block(item) ? ":\n" : ": ");
    }
    if (!is_block(item)) {
      out << yaml_scalar(item, indent + "  ") << '\n';
    } else {
      // As Go's library does it: lists in objects stand below their key's own column.
      const std::string inner = value.is_object() && item.is_array() ? indent : indent + "  ";
      if (value.is_object()) out << inner;
      print_block(out, item, inner);
    }
  }
}

}  // namespace

void print_json(std::ostream& out, const Json& document) {
  out << with_go_escapes(dumped(document, kKubectlIndent)) << '\n';
}

void print_yaml(std::ostream& out, const Json& document) {
  if (is_block(document)) return print_block(out, document, "");
  out << yaml_scalar(document, "  ") << '\n';
}

}  // namespace pgc::plugin
