#include "tests/support/api_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/api_types.h"

namespace pgc::test {
namespace {

using kube::Json;

// A place in a document: as fields are written, and as structures are looked up.
struct Place {
  std::string path;
  std::string pattern;

  Place member(const std::string& key) const {
    return {path + "." + key, pattern.empty() ? key : pattern + "." + key};
  }
  Place item(const std::string& name) const { return {path + "[" + name + "]", pattern + "[]"}; }
  const Structure& structure(const Json& value) const {
    return structure_at(pattern, value.is_array());
  }
};

Json key_of(const Json& item, const ListKey& key) {
  const auto found = item.find(key.name);
  if (found != item.end()) return *found;
  return key.otherwise.empty() ? Json() : Json(key.otherwise);
}

// "name=\"postgres\"", or "=\"the/finalizer\"" of a set.
std::string item_name(const Structure& structure, const Json& item) {
  if (structure.merge == Merge::kSet) return "=" + item.dump();
  std::string name;
  for (const ListKey& key : structure.keys) {
    if (!name.empty()) name += ",";
    name += std::string(key.name) + "=" + key_of(item, key).dump();
  }
  return name;
}

const Json* find_item(const Structure& structure, const Json& list, const std::string& name) {
  const auto found = std::ranges::find_if(
      list, [&](const Json& item) { return item_name(structure, item) == name; });
  return found == list.end() ? nullptr : &*found;
}

bool merges(const Structure& structure, const Json& value) {
  if (value.is_object()) return structure.merge != Merge::kWhole;
  return value.is_array() && structure.merge != Merge::kWhole;
}

bool kept_by_server(const std::string& path) {
  static const FieldSet kept = {".apiVersion",
                                ".kind",
                                ".metadata.name",
                                ".metadata.namespace",
                                ".metadata.generateName",
                                ".metadata.uid",
                                ".metadata.resourceVersion",
                                ".metadata.generation",
                                ".metadata.creationTimestamp",
                                ".metadata.deletionTimestamp",
                                ".metadata.deletionGracePeriodSeconds",
                                ".metadata.managedFields",
                                ".metadata"};
  return kept.contains(path);
}

void collect(const Json& value, const Place& place, FieldSet& fields);

// An item is a field itself, and has fields where it is merged.
void collect_item(const Json& item, const Place& place, FieldSet& fields) {
  fields.insert(place.path);
  if (merges(place.structure(item), item)) collect(item, place, fields);
}

void collect(const Json& value, const Place& place, FieldSet& fields) {
  if (kept_by_server(place.path) && !value.is_object()) return;
  const Structure& structure = place.structure(value);
  if (!merges(structure, value) || value.empty()) {
    if (!kept_by_server(place.path)) fields.insert(place.path);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items()) collect(member, place.member(key), fields);
  } else {
    for (const Json& item : value) {
      const Place here = place.item(item_name(structure, item));
      collect_item(item, here, fields);
    }
  }
}

class Comparison {
 public:
  explicit Comparison(Differences& result) : result_(result) {}

  void compare(const Json& before, const Json& after, const Place& place) {
    if (before == after) return;
    const bool alike = before.type() == after.type();
    if (!alike || !merges(place.structure(after), after)) {
      if (!kept_by_server(place.path)) result_.modified.insert(place.path);
    } else if (after.is_object()) {
      compare_members(before, after, place);
    } else {
      compare_items(before, after, place);
    }
  }

 private:
  void compare_members(const Json& before, const Json& after, const Place& place) {
    for (const auto& [key, value] : before.items()) {
      const auto found = after.find(key);
      if (found != after.end()) {
        compare(value, *found, place.member(key));
      } else {
        collect(value, place.member(key), result_.removed);
      }
    }
    for (const auto& [key, value] : after.items()) {
      if (!before.contains(key)) collect(value, place.member(key), result_.added);
    }
  }

  void compare_items(const Json& before, const Json& after, const Place& place) {
    const Structure& structure = place.structure(after);
    for (const Json& item : before) {
      const std::string name = item_name(structure, item);
      if (const Json* other = find_item(structure, after, name)) {
        compare(item, *other, place.item(name));
      } else {
        collect_item(item, place.item(name), result_.removed);
      }
    }
    for (const Json& item : after) {
      const std::string name = item_name(structure, item);
      if (find_item(structure, before, name) == nullptr) {
        collect_item(item, place.item(name), result_.added);
      }
    }
  }

  Differences& result_;
};

Json lay_over(const Json& live, const Json& config, const Place& place);

Json lay_over_members(const Json& live, const Json& config, const Place& place) {
  Json result = live;
  for (const auto& [key, value] : config.items()) {
    const auto found = live.find(key);
    result[key] = found == live.end() ? value : lay_over(*found, value, place.member(key));
  }
  return result;
}

// In the order of the config; what only the live list has stays before what follows it there.
Json lay_over_items(const Json& live, const Json& config, const Place& place) {
  const Structure& structure = place.structure(config);
  std::set<std::string> wanted;
  for (const Json& item : config) wanted.insert(item_name(structure, item));
  std::set<std::string> done;
  Json result = Json::array();
  auto next = live.begin();
  const auto take_live_ones = [&] {
    for (; next != live.end(); ++next) {
      const std::string name = item_name(structure, *next);
      if (done.contains(name)) continue;
      if (wanted.contains(name)) return;
      result.push_back(*next);
    }
  };
  for (const Json& item : config) {
    take_live_ones();
    const std::string name = item_name(structure, item);
    const Json* other = find_item(structure, live, name);
    result.push_back(other == nullptr ? item : lay_over(*other, item, place.item(name)));
    done.insert(name);
  }
  take_live_ones();
  return result;
}

Json lay_over(const Json& live, const Json& config, const Place& place) {
  if (live.type() != config.type() || !merges(place.structure(config), config)) return config;
  return config.is_object() ? lay_over_members(live, config, place)
                            : lay_over_items(live, config, place);
}

bool vanishes(Json& value, const Place& place, const FieldSet& fields);

bool vanishes_items(Json& list, const Place& place, const FieldSet& fields) {
  const Structure& structure = place.structure(list);
  Json rest = Json::array();
  for (Json& item : list) {
    const Place here = place.item(item_name(structure, item));
    if (fields.contains(here.path)) continue;
    vanishes(item, here, fields);
    rest.push_back(std::move(item));
  }
  list = std::move(rest);
  return list.empty();
}

// True where nothing is left of the value.
bool vanishes(Json& value, const Place& place, const FieldSet& fields) {
  if (fields.contains(place.path)) return true;
  if (!at_or_below(fields, place.path) || !merges(place.structure(value), value)) return false;
  if (value.is_array()) return vanishes_items(value, place, fields);
  for (auto at = value.begin(); at != value.end();) {
    at = vanishes(at.value(), place.member(at.key()), fields) ? value.erase(at) : std::next(at);
  }
  return value.empty();
}

}  // namespace

FieldSet fields_of(const Json& document) {
  FieldSet fields;
  collect(document, {}, fields);
  return fields;
}

Differences differences(const Json& before, const Json& after) {
  Differences result;
  Comparison(result).compare(before, after, {});
  return result;
}

Json merged(const Json& live, const Json& config) {
  return lay_over(live, config, {});
}

void take_away(Json& document, const FieldSet& fields) {
  if (!fields.empty()) vanishes(document, {}, fields);
}

bool at_or_below(const FieldSet& fields, const std::string& path) {
  if (path.empty()) return !fields.empty();
  const auto below = [&](const std::string& beginning) {
    const auto found = fields.lower_bound(beginning);
    return found != fields.end() && found->starts_with(beginning);
  };
  return fields.contains(path) || below(path + ".") || below(path + "[");
}

}  // namespace pgc::test
