#include "tests/agreement/requests.h"

#include <utility>

namespace pgc::agreement {
namespace {

void append_text(const Json& value, const Json* twice, std::string& out) {
  const char* separator = "";
  if (value.is_object()) {
    out += '{';
    for (const auto& [key, child] : value.items()) {
      const int times = &value == twice && &child == &value.front() ? 2 : 1;
      for (int i = 0; i < times; ++i) {
        out += std::exchange(separator, ",");
        append_text(key, twice, out);
        out += ':';
        append_text(child, twice, out);
      }
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    for (const Json& child : value) {
      out += std::exchange(separator, ",");
      append_text(child, twice, out);
    }
    out += ']';
  } else {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void collect_objects(const Json& value, std::vector<const Json*>& objects) {
  if (value.is_object() && !value.empty()) objects.push_back(&value);
  if (!value.is_structured()) return;
  for (const Json& child : value) collect_objects(child, objects);
}

std::string with_duplicate(const Json& object, test::Random& random) {
  std::vector<const Json*> objects;
  collect_objects(object, objects);
  std::string text;
  append_text(object, random.pick(objects), text);
  return text;
}

// The path of a request says of what kind it is.
void restore(const Json& head, Json& object) {
  for (const auto& [key, value] : head.items()) object[key] = value;
}

// What a request to create may not hold, whatever the schema says.
void make_creatable(Json& object) {
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return;
  for (const char* key : {"resourceVersion", "deletionTimestamp"}) {
    const auto found = metadata->find(key);
    if (found != metadata->end() && found->is_string()) metadata->erase(found);
  }
}

// A change is of the object that the path names, as it stands.
void make_changeable(Json& object, const Json& old) {
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    metadata.erase(key);
    if (old.at("metadata").contains(key)) metadata[key] = old.at("metadata").at(key);
  }
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : "; ") + text;
  return result;
}

}  // namespace

std::string text_of(const Json& object) {
  std::string text;
  append_text(object, nullptr, text);
  return text;
}

Json merge_patch_of(const Json& from, const Json& to) {
  if (!from.is_object() || !to.is_object()) return to;
  Json patch = Json::object();
  for (const auto& [key, unused] : from.items()) {
    if (!to.contains(key)) patch[key] = nullptr;
  }
  for (const auto& [key, child] : to.items()) {
    if (!from.contains(key)) {
      patch[key] = child;
    } else if (from.at(key) != child || from.at(key).type() != child.type()) {
      patch[key] = merge_patch_of(from.at(key), child);
    }
  }
  return patch;
}

RequestMaker::RequestMaker(const Resource& resource, std::uint64_t seed)
    : resource_(resource), random_(seed), generator_(resource.open_api(), seed, resource.head()) {}

Made RequestMaker::next() {
  Made made = !resource_.stored.empty() && random_.chance(35) ? change() : create();
  made.request.strictness = random_.chance(50)   ? Strictness::kStrict
                            : random_.chance(50) ? Strictness::kWarn
                                                 : Strictness::kIgnore;
  made.slips = joined(generator_.slips());
  return made;
}

Made RequestMaker::create() {
  Made made;
  const std::size_t what = random_.below(100);
  made.kind = what < 25   ? "valid"
              : what < 80 ? "nearly valid"
              : what < 97 ? "hostile"
                          : "duplicate field";
  Json object = made.kind == "nearly valid" ? generator_.nearly_valid()
                : made.kind == "hostile"    ? generator_.hostile()
                                            : generator_.valid();
  restore(resource_.head(), object);
  make_creatable(object);
  made.request.text =
      made.kind == "duplicate field" ? with_duplicate(object, random_) : text_of(object);
  return made;
}

Made RequestMaker::change() {
  Made made;
  made.kind = "update";
  const Json& old = random_.pick(resource_.stored);
  Json object = generator_.mutate(old);
  restore(resource_.head(), object);
  make_changeable(object, old);
  made.request.old = &old;
  made.request.operation = random_.chance(50) ? Operation::kReplace : Operation::kMergePatch;
  made.request.text =
      text_of(made.request.operation == Operation::kReplace ? object : merge_patch_of(old, object));
  return made;
}

}  // namespace pgc::agreement
