// The algorithm is that of k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go.
#include "shared/schema/structural/scale.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "shared/schema/structural/go_text.h"
#include "shared/schema/structural/node.h"

namespace pgc::schema {
namespace {

struct Found {
  const Json* value = nullptr;  // null: it is absent
  std::optional<std::string> error;
};

std::string not_of_type(std::string_view path, const Json& value, std::string_view wanted) {
  return std::string(path) + " accessor error: " + go_value(value) + " is of the type " +
         go_type(value) + ", expected " + std::string(wanted);
}

// `path` is `.spec.replicas`.
Found find(const Json& object, std::string_view path) {
  const Json* at = &object;
  for (std::size_t dot = 0; dot < path.size();) {
    const std::size_t next = std::min(path.find('.', dot + 1), path.size());
    if (at->is_null()) return {};
    if (!at->is_object()) {
      return {nullptr, not_of_type(path.substr(0, next), *at, "map[string]interface{}")};
    }
    at = member(*at, path.substr(dot + 1, next - dot - 1));
    if (at == nullptr) return {};
    dot = next;
  }
  return {at, std::nullopt};
}

FieldError of_path(const std::string& path, const Json& value, std::string text) {
  return invalid(FieldPath(path), value, std::move(text));
}

void check_replicas(const std::string& path, const Json& object, std::vector<FieldError>& errors) {
  Found found = find(object, path);
  if (found.value != nullptr && !found.value->is_number_integer()) {
    found.error = not_of_type(path, *found.value, "int64");
  }
  if (found.error) {
    errors.push_back(of_path(path, 0, *found.error));
    return;
  }
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  const std::int64_t replicas = found.value == nullptr ? 0 : found.value->get<std::int64_t>();
  if (replicas < 0) errors.push_back(of_path(path, replicas, "should be a non-negative integer"));
  if (replicas > kMax) {
    errors.push_back(
        of_path(path, replicas, "should be less than or equal to " + std::to_string(kMax)));
  }
}

void check_selector(const std::string& path, const Json& object, std::vector<FieldError>& errors) {
  Found found = find(object, path);
  if (found.value != nullptr && !found.value->is_string()) {
    found.error = not_of_type(path, *found.value, "string");
  }
  if (found.error) errors.push_back(of_path(path, "", *found.error));
}

}  // namespace

std::vector<FieldError> check_scale(const ScalePaths& paths, const Json& object) {
  std::vector<FieldError> errors;
  check_replicas(paths.spec_replicas, object, errors);
  check_replicas(paths.status_replicas, object, errors);
  if (!paths.label_selector.empty()) check_selector(paths.label_selector, object, errors);
  return errors;
}

}  // namespace pgc::schema
