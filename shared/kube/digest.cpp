#include "shared/kube/digest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pgc::kube {

// The length first, so that "a", "bc" is not "ab", "c".
void Digest::add_text(std::string_view text) {
  for (std::size_t length = text.size(); length > 0; length >>= 8) {
    add_byte(static_cast<unsigned char>(length & 0xff));
  }
  add_byte(0);
  for (const char c : text) add_byte(static_cast<unsigned char>(c));
}

void Digest::add(const Json& value) {
  add_byte(static_cast<unsigned char>(value.type()));
  switch (value.type()) {
    case Json::value_t::object:
      add_without(value, {});
      break;
    case Json::value_t::array:
      for (const Json& item : value) add(item);
      add_byte(0xff);
      break;
    case Json::value_t::string:
      add_text(value.get_ref<const std::string&>());
      break;
    case Json::value_t::null:
    case Json::value_t::discarded:
      break;
    default:
      add_text(value.dump());  // numbers, true, false
  }
}

void Digest::add_without(const Json& document, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : document.items()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    add_text(name);
    add(value);
  }
  add_byte(0xff);
}

std::uint64_t digest_of(const Object& object) {
  Digest digest;
  digest.add_without(object.json(), {"metadata"});
  const Json* metadata = find_at(object.json(), {"metadata"});
  if (metadata != nullptr && metadata->is_object()) {
    digest.add_without(*metadata, {"resourceVersion", "managedFields"});
  }
  return digest.value();
}

}  // namespace pgc::kube
