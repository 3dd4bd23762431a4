#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/go_text.h"
#include "shared/schema/structural/names.h"
#include "shared/schema/structural/node.h"
#include "shared/schema/structural/object_meta.h"

namespace pgc::schema {
namespace {

constexpr std::size_t kAnnotationsMax = std::size_t{256} << 10;

using Check = Complaints (*)(const std::string&);

std::string text_at(const Json& object, std::string_view key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// In front of what will be generated, a final '-' is as good as a letter.
Complaints check_subdomain_prefix(const std::string& text) {
  if (text.size() < 2 || text.back() != '-') return check_subdomain(text);
  return check_subdomain(text.substr(0, text.size() - 2) + "a");
}

class MetaChecker {
 public:
  MetaChecker(const Json& metadata, const FieldPath& path, std::vector<FieldError>& errors)
      : metadata_(metadata), path_(path), errors_(errors) {}

  void check_name(Check check, Check check_prefix) {
    const std::string prefix = text_at(metadata_, "generateName");
    if (!prefix.empty()) say("generateName", prefix, check_prefix(prefix));
    const std::string name = text_at(metadata_, "name");
    if (!name.empty()) say("name", name, check(name));
  }

  void require_name() {
    if (!text_at(metadata_, "name").empty() || !text_at(metadata_, "generateName").empty()) return;
    errors_.push_back(required(path_.child("name"), "name or generateName is required"));
  }

  void check_namespace(bool allowed) {
    const std::string ns = text_at(metadata_, "namespace");
    if (ns.empty()) return;
    if (allowed) return say("namespace", ns, check_label(ns));
    errors_.push_back(forbidden(path_.child("namespace"), "not allowed on this type"));
  }

  void check_rest() {
    check_labels();
    check_annotations();
    check_owners();
    check_finalizers();
  }

  // What of an object itself the API server writes, whatever is asked for.
  void check_system_fields() {
    const Json* generation = member(metadata_, "generation");
    if (generation != nullptr && *generation < 0) {
      errors_.push_back(
          invalid(path_.child("generation"), *generation, "must be greater than or equal to 0"));
    }
    const Json* entries = member(metadata_, "managedFields");
    for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
      const std::string operation = text_at((*entries)[i], "operation");
      if (operation == "Apply" || operation == "Update") continue;
      errors_.push_back(invalid(path_.child("managedFields").index(i).child("operation"), operation,
                                "must be `Apply` or `Update`"));
    }
  }

 private:
  void say(const std::string& field, const Json& value, const Complaints& complaints) {
    for (const std::string& complaint : complaints) {
      errors_.push_back(invalid(path_.child(field), value, complaint));
    }
  }

  void check_labels() {
    const Json* labels = member(metadata_, "labels");
    if (labels == nullptr) return;
    for (const auto& [key, value] : labels->items()) {
      say("labels", key, check_label_key(key));
      say("labels", value, check_label_value(value.get_ref<const std::string&>()));
    }
  }

  void check_annotations() {
    const Json* annotations = member(metadata_, "annotations");
    if (annotations == nullptr) return;
    std::size_t size = 0;
    for (const auto& [key, value] : annotations->items()) {
      say("annotations", key, check_label_key(lower(key)));
      size += key.size() + value.get_ref<const std::string&>().size();
    }
    if (size > kAnnotationsMax) {
      errors_.push_back(too_long(path_.child("annotations"), kAnnotationsMax));
    }
  }

  void check_owners() {
    const Json* owners = member(metadata_, "ownerReferences");
    if (owners == nullptr) return;
    const FieldPath path = path_.child("ownerReferences");
    std::string controller;
    for (const Json& owner : *owners) {
      check_owner(owner, path);
      if (!has_flag(owner, "controller")) continue;
      const std::string name = text_at(owner, "kind") + "/" + text_at(owner, "name");
      if (controller.empty()) {
        controller = name;
        continue;
      }
      errors_.push_back(invalid(path, *owners,
                                "Only one reference can have Controller set to true. Found "
                                "\"true\" in references for " +
                                    controller + " and " + name));
    }
  }

  void check_owner(const Json& owner, const FieldPath& path) {
    const std::string api_version = text_at(owner, "apiVersion");
    if (version_of(api_version).empty()) {
      errors_.push_back(
          invalid(path.child("apiVersion"), api_version, "version must not be empty"));
    }
    for (const char* key : {"kind", "name"}) {
      if (!text_at(owner, key).empty()) continue;
      errors_.push_back(invalid(path.child(key), "", "must not be empty"));
    }
    if (text_at(owner, "uid").empty()) {
      errors_.push_back(invalid(path.child("uid"), "", "must not be empty"));
    }
    if (api_version == "v1" && text_at(owner, "kind") == "Event") {
      errors_.push_back(invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner"));
    }
  }

  // Nothing where it cannot be read.
  static std::string version_of(const std::string& api_version) {
    const std::size_t slash = api_version.find('/');
    if (slash == std::string::npos) return api_version;
    const std::string version = api_version.substr(slash + 1);
    return version.find('/') == std::string::npos ? version : "";
  }

  void check_finalizers() {
    const Json* finalizers = member(metadata_, "finalizers");
    if (finalizers == nullptr) return;
    std::set<std::string> names;
    for (const Json& finalizer : *finalizers) {
      const auto& name = finalizer.get_ref<const std::string&>();
      say("finalizers", finalizer, check_label_key(name));
      names.insert(name);
    }
    if (names.contains("orphan") && names.contains("foregroundDeletion")) {
      say("finalizers", *finalizers,
          {"finalizer orphan and foregroundDeletion cannot be both set"});
    }
  }

  const Json& metadata_;
  const FieldPath& path_;
  std::vector<FieldError>& errors_;
};

// What a change may not touch. Absent means: as it was.
void check_unchanged(const Json& metadata, const Json& old, std::vector<FieldError>& errors) {
  for (const char* key : {"name", "namespace", "uid"}) {
    const Json* now = member(metadata, key);
    const Json* before = member(old, key);
    if (now == nullptr || before == nullptr || *now == *before) continue;
    errors.push_back(invalid(FieldPath("metadata").child(key), *now, "field is immutable"));
  }
  for (const char* key : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const Json* now = member(metadata, key);
    if (now == nullptr || member(old, "deletionTimestamp") != nullptr) continue;
    FieldError error = invalid(FieldPath("metadata").child(key), *now, "field is immutable");
    errors.push_back(std::move(error));
  }
}

std::set<std::string> finalizers_of(const Json& metadata) {
  const Json* list = member(metadata, "finalizers");
  return list == nullptr ? std::set<std::string>() : list->get<std::set<std::string>>();
}

void check_new_finalizers(const Json& metadata, const Json& old, std::vector<FieldError>& errors) {
  if (member(old, "deletionTimestamp") == nullptr) return;
  std::string added;
  const auto before = finalizers_of(old);
  for (const std::string& name : finalizers_of(metadata)) {
    if (!before.contains(name)) added += (added.empty() ? "" : ", ") + go_quoted(name);
  }
  if (added.empty()) return;
  errors.push_back(forbidden(FieldPath("metadata.finalizers"),
                             "no new finalizers can be added if the object is being deleted, found "
                             "new finalizers []string{" +
                                 added + "}"));
}

void check_head(const Json& resource, const FieldPath& path, std::vector<FieldError>& errors) {
  for (const char* key : {"apiVersion", "kind"}) {
    const Json* value = member(resource, key);
    if (value == nullptr) {
      errors.push_back(required(path.child(key)));
    } else if (*value == "") {
      errors.push_back(invalid(path.child(key), *value, "must not be empty"));
    } else if (!value->is_string()) {
      errors.push_back(invalid(path.child(key), *value, "must be a string"));
    }
  }
  const std::string api_version = text_at(resource, "apiVersion");
  if (std::count(api_version.begin(), api_version.end(), '/') > 1) {
    errors.push_back(invalid(path.child("apiVersion"), api_version,
                             "unexpected GroupVersion string: " + api_version));
  }
  const std::string kind = text_at(resource, "kind");
  for (const std::string& complaint : kind.empty() ? Complaints() : check_1035_label(lower(kind))) {
    errors.push_back(invalid(path.child("kind"), kind,
                             "may have mixed case, but should otherwise match: " + complaint));
  }
}

void check_resource(const Json& resource, const FieldPath& path, std::vector<FieldError>& errors) {
  check_head(resource, path, errors);
  const Json* metadata = member(resource, "metadata");
  if (metadata == nullptr || !metadata->is_object()) return;
  const FieldPath here = path.child("metadata");
  MetaChecker checker(*metadata, here, errors);
  checker.check_name(check_path_segment, check_path_segment_prefix);
  checker.check_namespace(true);
  checker.check_rest();
  checker.check_system_fields();
}

void visit_embedded(const Node& node, const Json& value, const FieldPath& path,
                    std::vector<FieldError>& errors) {
  if (value.is_array() && node.items != nullptr) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      visit_embedded(*node.items, value[i], path.index(i), errors);
    }
  }
  if (!value.is_object()) return;
  if (node.embedded_resource) check_resource(value, path, errors);
  for (const auto& [key, child] : value.items()) {
    const auto own = node.properties.find(key);
    if (own != node.properties.end()) {
      visit_embedded(own->second, child, path.child(key), errors);
    } else if (node.others != nullptr) {
      visit_embedded(*node.others, child, path.key(key), errors);
    }
  }
}

}  // namespace

std::vector<FieldError> check_metadata(const Json& object, const Json* old, bool namespaced) {
  std::vector<FieldError> errors;
  const Json none = Json::object();
  const Json* found = member(object, "metadata");
  const Json& metadata = found == nullptr || !found->is_object() ? none : *found;
  const FieldPath path("metadata");
  MetaChecker checker(metadata, path, errors);
  if (old == nullptr) {
    checker.check_name(check_subdomain, check_subdomain_prefix);
  } else {
    checker.check_name(check_path_segment, check_path_segment_prefix);
  }
  checker.require_name();
  checker.check_namespace(namespaced);
  checker.check_rest();
  if (old == nullptr) return errors;
  const Json* before = member(*old, "metadata");
  check_unchanged(metadata, before == nullptr ? none : *before, errors);
  check_new_finalizers(metadata, before == nullptr ? none : *before, errors);
  return errors;
}

std::vector<FieldError> check_embedded(const Node& root, const Json& object) {
  std::vector<FieldError> errors;
  visit_embedded(root, object, FieldPath(), errors);
  return errors;
}

}  // namespace pgc::schema
