#include "shared/reconcile/fingerprint.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace pgc::reconcile {
namespace {

// Of the text as it would be written, which is never built: a plan asks for dozens of these.
class TextHash {
 public:
  void add(const kube::Json& value) {
    if (value.is_object()) {
      add_members(value);
    } else if (value.is_array()) {
      add_items(value);
    } else if (value.is_string()) {
      add_string(value.get_ref<const std::string&>());
    } else {
      add_text(value.dump());
    }
  }

  std::uint64_t value() const { return hash_; }

 private:
  void add_members(const kube::Json& object) {
    add_byte('{');
    bool first = true;
    for (const auto& [name, value] : object.items()) {
      if (!std::exchange(first, false)) add_byte(',');
      add_string(name);
      add_byte(':');
      add(value);
    }
    add_byte('}');
  }

  void add_items(const kube::Json& list) {
    add_byte('[');
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) add_byte(',');
      add(list[i]);
    }
    add_byte(']');
  }

  void add_string(const std::string& text) {
    if (std::ranges::any_of(text, escaped)) return add_text(kube::Json(text).dump());
    add_byte('"');
    add_text(text);
    add_byte('"');
  }

  static bool escaped(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  }

  void add_text(std::string_view text) {
    for (const char byte : text) add_byte(byte);
  }

  void add_byte(char byte) {
    hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  }

  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string fingerprint(const kube::Json& document) {
  TextHash hash;
  hash.add(document);
  std::uint64_t rest = hash.value();
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, rest >>= 4) {
    *digit = "0123456789abcdef"[rest & 0xf];
  }
  return text;
}

}  // namespace pgc::reconcile
