#include "shared/kube/digest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pgc::kube {

void Digest::add_text(std::string_view text) {
  mix(std::hash<std::string_view>{}(text));
}

void Digest::add(const Json& value) {
  mix(static_cast<std::uint64_t>(value.type()));
  switch (value.type()) {
    case Json::value_t::object:
      add_without(value, {});
      break;
    case Json::value_t::array:
      for (const Json& item : value) add(item);
      mix(kEnd);
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
  mix(kEnd);
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
