#include "shared/json/shape.h"

namespace pgc::json {

const Shape& whole() {
  static const Shape shape;
  return shape;
}

const Shape* Shape::of(std::string_view name) const {
  for (const Member& member : members) {
    if (member.name == name) return member.kept ? &member.shape : nullptr;
  }
  return others ? &whole() : nullptr;
}

}  // namespace pgc::json
