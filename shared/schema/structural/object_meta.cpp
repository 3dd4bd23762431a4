#include "shared/schema/structural/object_meta.h"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "shared/schema/structural/compiled.h"
#include "shared/schema/structural/go_text.h"
#include "shared/schema/structural/node.h"
#include "shared/schema/structural/time_format.h"

namespace pgc::schema {
namespace {

enum class Kind { kText, kInteger, kBoolean, kTime, kTexts, kTextMap, kStructs, kRaw };

// A Go struct, as encoding/json sees it.
struct Struct;
struct Field {
  std::string_view name;
  Kind kind;
  std::string_view go_type = "string";
  const Struct* of = nullptr;  // for lists of structs
  bool stays_empty = false;    // no omitempty
};
struct Struct {
  std::string_view name;
  const Field* begin;
  const Field* end;
};

constexpr std::array<Field, 6> kOwnerFields = {
    {{"apiVersion", Kind::kText, "string", nullptr, true},
     {"kind", Kind::kText, "string", nullptr, true},
     {"name", Kind::kText, "string", nullptr, true},
     {"uid", Kind::kText, "types.UID", nullptr, true},
     {"controller", Kind::kBoolean, "bool"},
     {"blockOwnerDeletion", Kind::kBoolean, "bool"}}};
constexpr Struct kOwner = {"OwnerReference", kOwnerFields.begin(), kOwnerFields.end()};

constexpr std::array<Field, 7> kManagedFields = {
    {{"manager", Kind::kText},
     {"operation", Kind::kText, "v1.ManagedFieldsOperationType"},
     {"apiVersion", Kind::kText},
     {"time", Kind::kTime},
     {"fieldsType", Kind::kText},
     {"fieldsV1", Kind::kRaw},
     {"subresource", Kind::kText}}};
constexpr Struct kManaged = {"ManagedFieldsEntry", kManagedFields.begin(), kManagedFields.end()};

constexpr std::array<Field, 15> kMetaFields = {
    {{"name", Kind::kText},
     {"generateName", Kind::kText},
     {"namespace", Kind::kText},
     {"selfLink", Kind::kText},
     {"uid", Kind::kText, "types.UID"},
     {"resourceVersion", Kind::kText},
     {"generation", Kind::kInteger, "int64"},
     {"creationTimestamp", Kind::kTime},
     {"deletionTimestamp", Kind::kTime},
     {"deletionGracePeriodSeconds", Kind::kInteger, "int64"},
     {"labels", Kind::kTextMap, "map[string]string"},
     {"annotations", Kind::kTextMap, "map[string]string"},
     {"ownerReferences", Kind::kStructs, "[]v1.OwnerReference", &kOwner},
     {"finalizers", Kind::kTexts, "[]string"},
     {"managedFields", Kind::kStructs, "[]v1.ManagedFieldsEntry", &kManaged}}};
constexpr Struct kMeta = {"ObjectMeta", kMetaFields.begin(), kMetaFields.end()};

// More are not told.
constexpr std::size_t kMostUnknown = 100;

const Field* field_of(const Struct& type, std::string_view name) {
  for (const Field* field = type.begin; field != type.end; ++field) {
    if (field->name == name) return field;
  }
  return nullptr;
}

// What encoding/json calls a value that does not fit.
std::string go_kind(const Json& value) {
  if (value.is_boolean()) return "bool";
  return value.is_number() ? "number" : value.type_name();
}

// Reads one struct after the other, until an error.
class Reader {
 public:
  explicit Reader(Reading& reading) : reading_(reading) {}

  void read(const Struct& type, Json& object, const std::string& path, const std::string& inside) {
    for (auto field = object.begin(); field != object.end() && !reading_.error;) {
      const Field* known = field_of(type, field.key());
      if (known == nullptr && reading_.unknown.size() < kMostUnknown) {
        reading_.unknown.push_back(path + "." + field.key());
      }
      const bool stays = known != nullptr && keep(type, *known, field.value(), path, inside);
      field = stays ? ++field : object.erase(field);
    }
    for (const Field* field = type.begin; field != type.end; ++field) {
      if (field->stays_empty && !object.contains(field->name))
        object[std::string(field->name)] = "";
    }
  }

 private:
  // False: it is empty, and so goes.
  bool keep(const Struct& type, const Field& field, Json& value, const std::string& path,
            const std::string& inside) {
    if (value.is_null()) return false;
    const std::string name = inside + std::string(field.name);
    const std::string where = std::string(type.name) + "." + name;
    if (field.kind == Kind::kTime) return read_time(value, where);
    if (!fits(field.kind, value)) {
      fail(value, where, field.go_type);
      return true;
    }
    if (field.kind == Kind::kTexts || field.kind == Kind::kTextMap) read_texts(value, where);
    if (field.kind == Kind::kStructs) read_structs(field, value, path, name);
    if (field.kind == Kind::kText && value == "") return field.stays_empty;
    if (field.name == "generation" && value == 0) return false;
    return !value.is_structured() || !value.empty();
  }

  static bool fits(Kind kind, const Json& value) {
    switch (kind) {
      case Kind::kText:
        return value.is_string();
      case Kind::kInteger:
        return value.is_number_integer();
      case Kind::kBoolean:
        return value.is_boolean();
      case Kind::kTextMap:
        return value.is_object();
      case Kind::kTexts:
      case Kind::kStructs:
        return value.is_array();
      case Kind::kTime:
      case Kind::kRaw:
        break;
    }
    return true;
  }

  void read_texts(Json& values, const std::string& where) {
    for (Json& value : values) {
      if (value.is_null()) value = "";
      if (!value.is_string()) return fail(value, where, "string");
    }
  }

  void read_structs(const Field& field, Json& list, const std::string& path,
                    const std::string& name) {
    for (std::size_t i = 0; i < list.size() && !reading_.error; ++i) {
      if (list[i].is_null()) list[i] = Json::object();
      const std::string here = path + "." + std::string(field.name) + "[" + std::to_string(i) + "]";
      if (!list[i].is_object()) {
        return fail(list[i], "ObjectMeta." + name, field.go_type.substr(2));
      }
      read(*field.of, list[i], here, name + ".");
    }
  }

  bool read_time(const Json& value, const std::string& where) {
    if (!value.is_string()) {
      fail(value, where, "string");
    } else if (const auto& text = value.get_ref<const std::string&>(); !is_rfc3339(text)) {
      reading_.error = "parsing time " + go_quoted(text) + " as \"2006-01-02T15:04:05Z07:00\"";
    }
    return true;
  }

  void fail(const Json& value, const std::string& where, std::string_view go_type) {
    std::string what = go_kind(value);
    if (go_type == "int64" && value.is_number()) what += " " + value.dump();
    reading_.error = "json: cannot unmarshal " + what + " into Go struct field " + where +
                     " of type " + std::string(go_type);
  }

  Reading& reading_;
};

void read(Json& metadata, const std::string& path, Reading& reading) {
  if (metadata.is_null()) metadata = Json::object();
  if (metadata.is_object()) return Reader(reading).read(kMeta, metadata, path, "");
  reading.error =
      "json: cannot unmarshal " + go_kind(metadata) + " into Go value of type v1.ObjectMeta";
}

class EmbeddedReader {
 public:
  explicit EmbeddedReader(Reading& reading) : reading_(reading) {}

  void visit(const Node& node, Json& value, const FieldPath& path) {
    if (reading_.error || !value.is_structured()) return;
    if (value.is_array()) {
      for (std::size_t i = 0; node.items != nullptr && i < value.size(); ++i) {
        visit(*node.items, value[i], path.index(i));
      }
      return;
    }
    for (const auto& [key, child] : value.items()) {
      if (node.embedded_resource) visit_head(key, child, path.child(key));
      const auto own = node.properties.find(key);
      if (own != node.properties.end()) {
        visit(own->second, child, path.child(key));
      } else if (node.others != nullptr) {
        visit(*node.others, child, path.key(key));
      }
    }
  }

 private:
  void visit_head(const std::string& key, Json& value, const FieldPath& path) {
    if ((key == "apiVersion" || key == "kind") && !value.is_string()) {
      reading_.error = to_string(invalid(path, value, "must be a string"));
    }
    if (key != "metadata" || reading_.error) return;
    const Json before = value;
    read(value, path.to_string(), reading_);
    if (reading_.error) reading_.error = to_string(invalid(path, before, *reading_.error));
  }

  Reading& reading_;
};

}  // namespace

Reading read_metadata(Json& object) {
  Reading reading;
  const auto metadata = object.is_object() ? object.find("metadata") : object.end();
  if (metadata != object.end()) read(*metadata, "metadata", reading);
  return reading;
}

Reading read_embedded_metadata(const Node& root, Json& object) {
  Reading reading;
  EmbeddedReader(reading).visit(root, object, FieldPath());
  return reading;
}

}  // namespace pgc::schema
