#include "tests/support/projected.h"

#include <nlohmann/json.hpp>

namespace pgc::test {

using Json = nlohmann::json;

Json projected(const Json& document, const json::Shape& shape) {
  if (document.is_array()) {
    Json list = Json::array();
    for (const Json& item : document) list.push_back(projected(item, shape));
    return list;
  }
  if (!document.is_object()) return document;
  Json object = Json::object();
  for (const auto& [name, value] : document.items()) {
    if (const json::Shape* inner = shape.of(name)) object[name] = projected(value, *inner);
  }
  return object;
}

}  // namespace pgc::test
