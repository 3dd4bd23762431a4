#include "tests/support/slips.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "tests/support/generate.h"

namespace pgc::test {
namespace {

const Json* find(const Json& node, const char* key) {
  if (!node.is_object()) return nullptr;
  const auto found = node.find(key);
  return found == node.end() ? nullptr : &*found;
}

const Json* child_node(const Json& node, const std::string& key) {
  if (const Json* properties = find(node, "properties")) {
    if (const Json* own = find(*properties, key.c_str())) return own;
  }
  const Json* others = find(node, "additionalProperties");
  return others != nullptr && others->is_object() ? others : nullptr;
}

void collect(const Json& node, const Json& value, const Json::json_pointer& at,
             std::vector<Place>& places) {
  places.push_back({at, &node});
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      if (const Json* schema = child_node(node, key)) collect(*schema, child, at / key, places);
    }
  }
  const Json* items = find(node, "items");
  for (std::size_t i = 0; items != nullptr && value.is_array() && i < value.size(); ++i) {
    collect(*items, value[i], at / i, places);
  }
}

std::string cut(std::string text) {
  if (text.size() > 60) text = text.substr(0, 60) + "...";
  return text;
}

std::string noted(const Place& place, const std::string& what) {
  return place.at.to_string() + ": " + cut(what);
}

std::string printed(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

const std::vector<Json>& number_edges() {
  static const std::vector<Json> values = {0,
                                           -1,
                                           1.5,
                                           3.0,
                                           1e3,
                                           -0.0,
                                           0.1,
                                           2147483647,
                                           2147483648,
                                           -2147483649,
                                           9007199254740991,
                                           9007199254740992,
                                           9007199254740993,
                                           9007199254740992.0,
                                           std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min(),
                                           std::uint64_t{9223372036854775808U},
                                           std::numeric_limits<std::uint64_t>::max(),
                                           9.3e18,
                                           1e21,
                                           1e300,
                                           3.5e38,
                                           1e-7,
                                           -1e21,
                                           123456789.125};
  return values;
}

const std::vector<Json>& odd_strings() {
  static const std::vector<Json> values = {
      "",     " ",     "\n",         "üñï",       "日本語",      "😀",        "A_B",
      "-a",   "a-",    "a..b",       "a\"b\\c",   "<b>&amp;",    "1",         "1.5",
      "true", "null",  "2026-13-45", "999.1.1.1", "10.0.0.0/99", "not a uri", "::::",
      "!!!",  "1h 30", "123e4567",   "1.5Gi",     "\u00a0",      "e\u0301"};
  return values;
}

// Replaces, removes or adds at one place; nothing where that does not fit the place.
class Slip {
 public:
  Slip(Json& object, const Place& place, Random& random)
      : place_(place), value_(object.at(place.at)), random_(random) {}

  std::optional<std::string> make() {
    switch (random_.below(12)) {
      case 0:
        return put(Json());
      case 1:
        return put(arbitrary(random_, 2));
      case 2:
        return value_.is_number() ? put(random_.pick(number_edges())) : std::nullopt;
      case 3:
        return value_.is_string() ? put(random_.pick(odd_strings())) : std::nullopt;
      case 4:
        return past_bound();
      case 5:
        return too_long();
      case 6:
        return without_field();
      case 7:
        return unknown_field();
      case 8:
        return duplicate_item();
      case 9:
        return emptied();
      case 10:
        return wrong_type();
      default:
        return changed_text();
    }
  }

 private:
  std::optional<std::string> put(const Json& value) {
    if (place_.at.empty() || value_ == value) return std::nullopt;
    value_ = value;
    return printed(value);
  }

  std::optional<std::string> past_bound() {
    const Json* low = find(*place_.node, "minimum");
    const Json* high = find(*place_.node, "maximum");
    if (!value_.is_number() || (low == nullptr && high == nullptr)) return std::nullopt;
    const bool below = high == nullptr || (low != nullptr && random_.chance(50));
    const auto limit = static_cast<std::int64_t>((below ? low : high)->get<double>());
    return put(random_.chance(30) ? limit : below ? limit - 1 : limit + 1);
  }

  std::optional<std::string> too_long() {
    for (const char* keyword : {"maxLength", "maxItems"}) {
      const Json* limit = find(*place_.node, keyword);
      if (limit == nullptr || limit->get<std::size_t>() > 300) continue;
      const std::size_t size = limit->get<std::size_t>() + random_.below(2);
      if (value_.is_string()) return put(std::string(size, 'a'));
      if (value_.is_array() && !value_.empty()) return put(Json(size, value_.front()));
    }
    return std::nullopt;
  }

  std::optional<std::string> without_field() {
    if (!value_.is_object() || value_.empty()) return std::nullopt;
    auto field = value_.begin();
    std::advance(field, random_.below(value_.size()));
    if (place_.at.empty() && field.key() != "spec") return std::nullopt;
    std::string note = "without " + field.key();
    value_.erase(field);
    return note;
  }

  std::optional<std::string> unknown_field() {
    if (!value_.is_object()) return std::nullopt;
    static const std::vector<std::string> kKeys = {"unknown", "Spec", "a.b", "", "x/y", "replcias"};
    const std::string& key = random_.pick(kKeys);
    value_[key] = arbitrary(random_, 2);
    return "with the field \"" + key + "\"";
  }

  std::optional<std::string> duplicate_item() {
    if (!value_.is_array() || value_.empty()) return std::nullopt;
    const Json item = random_.pick(value_);
    value_.push_back(item);
    return "an item twice: " + printed(item);
  }

  std::optional<std::string> emptied() {
    if (value_.is_object()) return put(Json::object());
    if (value_.is_array()) return put(Json::array());
    return value_.is_string() ? put("") : std::nullopt;
  }

  std::optional<std::string> wrong_type() {
    static const std::vector<Json> kValues = {
        "text", 7, 2.5, true, Json::array({1}), Json{{"a", 1}}, Json::array({Json()})};
    return put(random_.pick(kValues));
  }

  std::optional<std::string> changed_text() {
    if (!value_.is_string() || value_.get_ref<const std::string&>().empty()) return std::nullopt;
    auto text = value_.get<std::string>();
    const std::size_t at = random_.below(text.size());
    if (static_cast<unsigned char>(text[at]) >= 0x80) return std::nullopt;
    text[at] = random_.pick(std::string_view("A_ .-/:0z"));
    return put(text);
  }

  const Place& place_;
  Json& value_;
  Random& random_;
};

// The API server looks at names and labels itself, whatever the schema says.
std::string metadata_slip(Json& object, Random& random) {
  static const std::vector<std::pair<std::string, std::vector<Json>>> kSlips = {
      {"/metadata/name",
       {"", "A", "a_b", "-a", "a.b", "a..b", std::string(254, 'a'), std::string(64, 'a'), 3,
        Json()}},
      {"/metadata/generateName", {"a-", "A-", "-", 3}},
      {"/metadata/labels",
       {Json{{"a b", "x"}}, Json{{"ok", "-x"}}, Json{{"", "x"}}, Json{{"a/b/c", "x"}},
        Json{{"ok", std::string(64, 'x')}}, Json{{"Ex_1.com/a", "x"}}, Json{{"ok", 3}}, "x",
        Json()}},
      {"/metadata/annotations",
       {Json{{"a b", "x"}}, Json{{"A.com/B", "x"}}, Json{{"/x", "x"}}, Json{{"ok", "\n\t\x01"}},
        Json{{"ok", true}}, Json::array()}},
      {"/metadata/finalizers",
       {Json{"a"}, Json{"example.com/a"}, Json{"a b/c"}, Json{""},
        Json{"foregroundDeletion", "orphan"}, "x"}},
      {"/metadata/ownerReferences",
       {Json{{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "x"}, {"uid", "1"}}},
        Json{{{"apiVersion", "v1"}, {"kind", "Event"}, {"name", "x"}, {"uid", "1"}}},
        Json{{{"kind", "Pod"}, {"name", ""}}},
        Json{{{"apiVersion", "a/b/c"}, {"kind", "Pod"}, {"name", "x"}, {"uid", ""}}}}},
      {"/metadata/creationTimestamp", {"2026-01-01T00:00:00Z", "yesterday", Json(), 5}},
      {"/metadata/generation", {5, -1, "x", 1.5}},
      {"/metadata/resourceVersion", {"x", 4}},
      {"/metadata/uid", {"11111111-1111-1111-1111-111111111111", 4}},
      {"/metadata/managedFields", {Json::array(), Json{{{"manager", "x"}}}, "x"}},
      {"/metadata/unknown", {1}}};
  const auto& [at, values] = random.pick(kSlips);
  const Json& value = random.pick(values);
  if (!object["metadata"].is_object()) return "nothing";
  object[Json::json_pointer(at)] = value;
  return at + ": " + cut(printed(value));
}

Json deep_value(Random& random) {
  Json value = 1;
  for (std::size_t i = 10 + random.below(80); i > 0; --i) {
    Json outer = random.chance(50) ? Json::array({1}) : Json{{"a", 1}};
    (outer.is_array() ? outer[0] : outer["a"]) = std::move(value);
    value = std::move(outer);
  }
  return value;
}

Json wide_value(Random& random) {
  Json value = Json::object();
  for (std::size_t i = 100 + random.below(400); i > 0; --i) value["k" + std::to_string(i)] = i;
  return random.chance(50) ? value : Json(200 + random.below(300), "x");
}

Json odd_keys(Random& random) {
  static const std::vector<std::string> kKeys = {
      "",     ".",  "a.b", "a[0]",     "[0]",        "a/b",  "~1",      "$ref",  "\x01",
      "\x7f", "\n", "\"",  "\\",       "__proto__",  "ключ", "a b",     "<a>",   "😀",
      "0",    "-",  "@",   "metadata", "apiVersion", "é",    "e\u0301", "\u2028"};
  Json value = Json::object();
  for (std::size_t i = 1 + random.below(5); i > 0; --i)
    value[random.pick(kKeys)] = arbitrary(random, 2);
  return value;
}

Json odd_text(Random& random) {
  static const std::vector<std::string> kTexts = {std::string("a\0b", 3),
                                                  "\x01\x02\x1b[31m",
                                                  "\x7f",
                                                  "a\r\nb\tc\v",
                                                  "\u2028\u2029",
                                                  "\ufeffx",
                                                  "\ufffd",
                                                  "\u200b",
                                                  "\u0085",
                                                  "😀\U0001F468\u200D\U0001F469",
                                                  "\uE000",
                                                  "\U0010FFFF",
                                                  "broken \xff\xfe",
                                                  "\xc3",
                                                  "\xed\xa0\x80",
                                                  "%s%n%d",
                                                  "{{.}}",
                                                  "../../etc/passwd",
                                                  std::string(5000, 'x'),
                                                  "'; DROP TABLE x; --",
                                                  "$(id)"};
  return random.pick(kTexts);
}

Json hostile_value(Random& random) {
  switch (random.below(5)) {
    case 0:
      return deep_value(random);
    case 1:
      return wide_value(random);
    case 2:
      return odd_keys(random);
    case 3:
      return odd_text(random);
    default:
      return random.pick(number_edges());
  }
}

// The place of a value that may be made anew without touching the root or its head.
const Place& below_root(const std::vector<Place>& places, Random& random) {
  return places.size() == 1 ? places.front() : places[1 + random.below(places.size() - 1)];
}

std::string made_anew(Json& object, const Place& place, Random& random) {
  if (place.at.empty()) return "nothing";
  Json& value = object.at(place.at);
  value = generate(*place.node, random, 2);
  return noted(place, printed(value));
}

std::string field_added(Json& object, const Place& place, Random& random) {
  const Json* properties = find(*place.node, "properties");
  Json& value = object.at(place.at);
  if (properties == nullptr || properties->empty() || !value.is_object()) {
    return made_anew(object, place, random);
  }
  auto field = properties->begin();
  std::advance(field, random.below(properties->size()));
  if (place.at.empty() && field.key() != "spec" && field.key() != "status") return "nothing";
  value[field.key()] = generate(*field, random, 2);
  return noted(place, "with " + field.key());
}

std::string field_removed(Json& object, const Place& place, Random& random) {
  Json& value = object.at(place.at);
  if (place.at.empty() || !value.is_structured() || value.empty()) {
    return made_anew(object, place, random);
  }
  auto field = value.begin();
  std::advance(field, random.below(value.size()));
  value.erase(field);
  return noted(place, "one thing less");
}

std::string reordered(Json& object, const Place& place, Random& random) {
  Json& value = object.at(place.at);
  if (!value.is_array() || value.size() < 2) return made_anew(object, place, random);
  std::swap(value.front(), value.back());
  return noted(place, "in another order");
}

}  // namespace

std::vector<Place> places_of(const Json& schema, const Json& object) {
  std::vector<Place> places;
  collect(schema, object, Json::json_pointer(), places);
  return places;
}

std::string slip(const Json& schema, Json& object, Random& random) {
  if (random.chance(12)) return metadata_slip(object, random);
  for (int i = 0; i < 50; ++i) {
    const auto places = places_of(schema, object);
    const Place& place = random.pick(places);
    if (const auto what = Slip(object, place, random).make()) return noted(place, *what);
  }
  return "nothing";
}

std::string attack(const Json& schema, Json& object, Random& random) {
  const auto places = places_of(schema, object);
  const Place& place = below_root(places, random);
  Json value = hostile_value(random);
  const std::string note = noted(place, printed(value));
  Json& target = object.at(place.at);
  if (place.at.empty() || (target.is_object() && random.chance(60))) {
    target[random.chance(50) ? "extra" : "spec"] = std::move(value);
  } else {
    target = std::move(value);
  }
  return note;
}

std::string change(const Json& schema, Json& object, Random& random) {
  const auto places = places_of(schema, object);
  const Place& place = below_root(places, random);
  switch (random.below(4)) {
    case 0:
      return field_added(object, random.pick(places), random);
    case 1:
      return field_removed(object, place, random);
    case 2:
      return reordered(object, place, random);
    default:
      return made_anew(object, place, random);
  }
}

}  // namespace pgc::test
