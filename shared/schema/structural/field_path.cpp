#include "shared/schema/structural/field_path.h"

namespace pgc::schema {

FieldPath FieldPath::child(std::string_view name) const {
  if (is_root()) return FieldPath(std::string(name));
  return FieldPath(text_ + "." + std::string(name));
}

FieldPath FieldPath::index(std::size_t position) const {
  return FieldPath(text_ + "[" + std::to_string(position) + "]");
}

FieldPath FieldPath::key(std::string_view name) const {
  return FieldPath(text_ + "[" + std::string(name) + "]");
}

}  // namespace pgc::schema
