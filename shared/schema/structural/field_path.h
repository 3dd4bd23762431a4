// The way to a field of an object, written as Kubernetes writes it: `spec.list[0].name`.
//
// A value: cheap to copy, never changed after it is made. The root has no name and prints as
// `<nil>`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace pgc::schema {

class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(std::string text) : text_(std::move(text)) {}

  FieldPath child(std::string_view name) const;
  FieldPath index(std::size_t position) const;
  FieldPath key(std::string_view name) const;  // for keys of maps: `labels[a/b]`

  bool is_root() const { return text_.empty(); }
  std::string to_string() const { return is_root() ? "<nil>" : text_; }
  bool operator==(const FieldPath&) const = default;

 private:
  std::string text_;
};

}  // namespace pgc::schema
