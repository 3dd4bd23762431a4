#include "tests/support/api_history.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/kube/cache.h"

namespace pgc::test {
namespace {

using kube::Json;
using kube::Object;
using kube::WatchEvent;
using kube::WatchEventType;

constexpr std::string_view kByName = "metadata.name=";

Object at_version(const Object& object, std::int64_t version) {
  Json document = object.json();
  document["metadata"]["resourceVersion"] = std::to_string(version);
  return Object(std::move(document));
}

Json kept(const Json& value, const json::Shape& shape) {
  if (value.is_array()) {
    Json items = Json::array();
    for (const Json& item : value) items.push_back(kept(item, shape));
    return items;
  }
  if (!value.is_object()) return value;
  Json members = Json::object();
  for (const auto& [name, member] : value.items()) {
    if (const json::Shape* inner = shape.of(name)) members[name] = kept(member, *inner);
  }
  return members;
}

}  // namespace

void History::add(Happening happening) {
  happenings_.push_back(std::move(happening));
  if (happenings_.size() > kLongest) forget_until(happenings_.front().version);
}

void History::forget_until(std::int64_t version) {
  beginning_ = std::max(beginning_, version);
  while (!happenings_.empty() && happenings_.front().version <= version) happenings_.pop_front();
}

const Happening* History::after(std::int64_t version) const {
  const auto found = std::ranges::upper_bound(happenings_, version, {}, &Happening::version);
  return found == happenings_.end() ? nullptr : &*found;
}

std::optional<WatchEvent> event_of(const Happening& happening, const kube::ResourceType& type,
                                   const kube::ListOptions& options) {
  if (happening.type != type) return std::nullopt;
  const bool was = happening.before && covers(options, *happening.before);
  const bool is = happening.after && covers(options, *happening.after);
  if (is) {
    return WatchEvent{was ? WatchEventType::kModified : WatchEventType::kAdded,
                      shown(*happening.after, options)};
  }
  if (!was) return std::nullopt;
  return WatchEvent{WatchEventType::kDeleted,
                    shown(at_version(*happening.before, happening.version), options)};
}

// "a=b,c=d", and one field.
bool understands(const kube::ListOptions& options) {
  const std::string& fields = options.field_selector;
  const bool plain = options.label_selector.find_first_of("!() ") == std::string::npos &&
                     options.label_selector.find("==") == std::string::npos;
  return plain &&
         (fields.empty() || (fields.starts_with(kByName) && fields.find(',') == std::string::npos));
}

bool covers(const kube::ListOptions& options, const Object& object) {
  if (!options.ns.empty() && object.ns() != options.ns) return false;
  if (options.field_selector.starts_with(kByName) &&
      object.name() != std::string_view(options.field_selector).substr(kByName.size())) {
    return false;
  }
  return kube::matches_selector(object, options.label_selector);
}

Object shown(const Object& object, const kube::ListOptions& options) {
  return options.keep == nullptr ? object : Object(kept(object.json(), *options.keep));
}

}  // namespace pgc::test
