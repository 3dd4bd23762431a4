// ObjectMeta, of the object itself and of the resources embedded in it: how the API server reads it
// and what it wants of it (k8s.io/apimachinery, pkg/api/validation).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shared/schema/structural/field_error.h"
#include "shared/schema/structural/field_path.h"

namespace pgc::schema {

struct Node;

// Reading. The API server reads metadata into its own type and writes it out again: unknown fields
// go, as do nulls and what is empty.
struct Reading {
  std::optional<std::string> error;  // a field has a wrong type: nothing more is looked at
  std::vector<std::string> unknown;  // "metadata.foo"
};
// Of the root.
Reading read_metadata(Json& object);
// Of the resources embedded in it, with their apiVersion and kind.
Reading read_embedded_metadata(const Node& root, Json& object);
// What is wrong with the metadata of an object that is created (`old` null) or changed.
std::vector<FieldError> check_metadata(const Json& object, const Json* old, bool namespaced);
// What is wrong with the resources embedded in an object.
std::vector<FieldError> check_embedded(const Node& root, const Json& object);

}  // namespace pgc::schema
