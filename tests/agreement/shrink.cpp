#include "tests/agreement/shrink.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "tests/agreement/requests.h"

namespace pgc::agreement {
namespace {

// Every part, larger ones before what is in them.
void collect(const Json& value, const Json::json_pointer& at,
             std::vector<Json::json_pointer>& parts) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      parts.push_back(at / key);
      collect(child, at / key, parts);
    }
  }
  for (std::size_t i = value.is_array() ? value.size() : 0; i > 0; --i) {
    parts.push_back(at / (i - 1));
    collect(value[i - 1], at / (i - 1), parts);
  }
}

bool is_head(const Json::json_pointer& part) {
  const std::string text = part.to_string();
  return text == "/apiVersion" || text == "/kind" || text == "/metadata" ||
         text == "/metadata/name" || text == "/metadata/resourceVersion";
}

void remove(Json& object, const Json::json_pointer& part) {
  Json& parent = object.at(part.parent_pointer());
  if (parent.is_array()) {
    parent.erase(std::stoul(part.back()));
  } else {
    parent.erase(part.back());
  }
}

}  // namespace

std::string shrunk(const std::string& text, const std::function<bool(const std::string&)>& differs,
                   int limit) {
  Json object = Json::parse(text, nullptr, false);
  if (text_of(object) != text) return text;  // a field stands twice
  for (bool smaller = true; smaller;) {
    smaller = false;
    std::vector<Json::json_pointer> parts;
    collect(object, Json::json_pointer(), parts);
    for (const auto& part : parts) {
      if (is_head(part)) continue;
      if (limit-- == 0) return text_of(object);
      Json candidate = object;
      remove(candidate, part);
      if (!differs(text_of(candidate))) continue;
      object = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return text_of(object);
}

}  // namespace pgc::agreement
