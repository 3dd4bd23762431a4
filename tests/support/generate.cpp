#include "tests/support/generate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tests/support/sample_pattern.h"
#include "tests/support/slips.h"

namespace pgc::test {
namespace {

constexpr int kDeepest = 12;

const std::array<std::string, 12> kWords = {"a",  "alpha", "beta-2", "my-db", "Gamma", "x.y",
                                            "42", "10Gi",  "föö",    "on",    "v1",    "a/b"};

const Json* find(const Json& node, const char* key) {
  if (!node.is_object()) return nullptr;
  const auto found = node.find(key);
  return found == node.end() ? nullptr : &*found;
}

std::string text_of(const Json& node, const char* key) {
  const Json* value = find(node, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

bool flag(const Json& node, const char* key) {
  const Json* value = find(node, key);
  return value != nullptr && *value == true;
}

std::size_t size_of(const Json& node, const char* key, std::size_t otherwise) {
  const Json* value = find(node, key);
  return value != nullptr && value->is_number() ? value->get<std::size_t>() : otherwise;
}

// Makes one value of one node.
class Maker {
 public:
  Maker(const Json& node, Random& random, int depth)
      : node_(node), random_(random), depth_(depth) {}

  Json make() {
    if (const Json* standard = find(node_, "default"); standard != nullptr && random_.chance(20)) {
      return *standard;
    }
    if (const Json* choices = find(node_, "enum"); choices != nullptr && !choices->empty()) {
      return random_.pick(*choices);
    }
    if (flag(node_, "nullable") && random_.chance(10)) return nullptr;
    if (flag(node_, "x-kubernetes-int-or-string")) {
      return random_.chance(50) ? Json(integer()) : Json(string());
    }
    return of_type(text_of(node_, "type"));
  }

 private:
  Json of_type(const std::string& type) {
    if (type == "integer") return integer();
    if (type == "number") return random_.chance(50) ? Json(integer()) : Json(number());
    if (type == "boolean") return random_.chance(50);
    if (type == "string") return string();
    if (type == "array") return array();
    if (type == "object") return object();
    return arbitrary(random_, 2);
  }

  std::int64_t bound(const char* key, const char* exclusive, std::int64_t otherwise, int step) {
    const Json* value = find(node_, key);
    if (value == nullptr || !value->is_number()) return otherwise;
    return static_cast<std::int64_t>(value->get<double>()) + (flag(node_, exclusive) ? step : 0);
  }

  std::int64_t integer() {
    const std::int64_t low = bound("minimum", "exclusiveMinimum", -5, 1);
    const std::int64_t high = std::max(
        low, bound("maximum", "exclusiveMaximum", std::max<std::int64_t>(low, 0) + 100, -1));
    const auto factor = static_cast<std::int64_t>(size_of(node_, "multipleOf", 1));
    const std::int64_t value = random_.chance(20)   ? low
                               : random_.chance(20) ? high
                                                    : random_.between(low, high);
    return factor > 1 ? value / factor * factor : value;
  }

  double number() {
    const auto low = static_cast<double>(bound("minimum", "exclusiveMinimum", 0, 0));
    return low + static_cast<double>(random_.below(1000)) / 8;
  }

  std::string string() {
    if (const std::string pattern = text_of(node_, "pattern"); !pattern.empty()) {
      return sample_pattern(pattern, random_);
    }
    if (const std::string format = text_of(node_, "format"); !format.empty()) {
      if (const auto text = of_format(format); !text.empty()) return text;
    }
    std::string text = random_.pick(kWords);
    const std::size_t low = size_of(node_, "minLength", 0);
    const std::size_t high = size_of(node_, "maxLength", 1000);
    while (text.size() < low) text += static_cast<char>('a' + random_.below(26));
    if (text.size() > high) text.resize(high);
    while (!text.empty() && static_cast<unsigned char>(text.back()) >= 0x80) text.pop_back();
    return text;
  }

  std::string of_format(const std::string& format) {
    using Samples = std::vector<std::string>;
    const std::pair<std::string, Samples> known[] = {
        {"date-time", {"2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+02:00"}},
        {"date", {"2026-01-31"}},
        {"duration", {"1h30m", "22 ns", "3 days"}},
        {"ipv4", {"10.0.0.1"}},
        {"ipv6", {"::1", "2001:db8::1"}},
        {"cidr", {"10.0.0.0/8"}},
        {"byte", {"aGVsbG8=", ""}},
        {"uri", {"https://example.com/a?b=c", "http://x"}},
        {"uuid", {"123e4567-e89b-12d3-a456-426614174000"}},
        {"email", {"a@example.com", "A B <a.b@c.de>"}},
        {"hostname", {"example.com", "a-b", "xn--a.de"}},
        {"bsonobjectid", {"507f1f77bcf86cd799439011"}},
        {"mac", {"01:23:45:67:89:ab", "01-23-45-67-89-AB"}},
        {"uuid3", {"123e4567-e89b-32d3-a456-426614174000"}},
        {"uuid4", {"123e4567-e89b-42d3-a456-426614174000"}},
        {"uuid5", {"123e4567e89b52d3a456426614174000"}},
        {"isbn", {"3836221195", "978-3-8362-2119-1"}},
        {"isbn10", {"3 401 01319 X"}},
        {"isbn13", {"9784873113685"}},
        {"creditcard", {"4220 8554 2622 2389"}},
        {"ssn", {"111-22-3333"}},
        {"hexcolor", {"#fff", "00ff7f"}},
        {"rgbcolor", {"rgb(0, 31, 255)"}},
        {"k8s-short-name", {"my-db"}},
        {"k8s-long-name", {"a.b-c.d"}}};
    for (const auto& [name, samples] : known) {
      if (name == format) return random_.pick(samples);
    }
    return {};
  }

  Json array() {
    const std::size_t low = size_of(node_, "minItems", 0);
    const std::size_t high = std::min(size_of(node_, "maxItems", low + 3), low + 3);
    const std::size_t count = low + random_.below(std::max(high, low) - low + 1);
    Json list = Json::array();
    const Json* items = find(node_, "items");
    for (std::size_t i = 0; i < count && i < 20; ++i) {
      list.push_back(items == nullptr || depth_ > kDeepest ? arbitrary(random_, 1)
                                                           : generate(*items, random_, depth_ + 1));
    }
    if (!text_of(node_, "x-kubernetes-list-type").empty()) remove_duplicates(list);
    return list;
  }

  // Sets and list-maps: of items with the same keys, the first one stays.
  void remove_duplicates(Json& list) const {
    if (text_of(node_, "x-kubernetes-list-type") == "atomic") return;
    const Json* keys = find(node_, "x-kubernetes-list-map-keys");
    Json seen = Json::array();
    Json unique = Json::array();
    for (const Json& item : list) {
      Json identity = keys == nullptr ? item : Json::array();
      for (std::size_t i = 0; keys != nullptr && i < keys->size(); ++i) {
        identity.push_back(item.value((*keys)[i].get<std::string>(), Json()));
      }
      if (std::find(seen.begin(), seen.end(), identity) != seen.end()) continue;
      seen.push_back(identity);
      unique.push_back(item);
    }
    list = std::move(unique);
  }

  Json object() {
    Json result = Json::object();
    const Json none = Json::object();
    const Json* properties = find(node_, "properties");
    const Json& named = properties == nullptr ? none : *properties;
    const int percent =
        named.empty() ? 0 : std::clamp<int>(500 / static_cast<int>(named.size()), 3, 60);
    for (const auto& [name, child] : named.items()) {
      if (depth_ == 0 && (name == "metadata" || name == "apiVersion" || name == "kind")) continue;
      const bool wanted = depth_ == 0 && name == "spec";
      if (wanted || (depth_ < kDeepest && random_.chance(depth_ == 0 ? 30 : percent))) {
        result[name] = generate(child, random_, depth_ + 1);
      }
    }
    add_required(node_, result);
    choose_branch("anyOf", result);
    choose_branch("oneOf", result);
    add_others(result);
    return result;
  }

  void add_required(const Json& node, Json& result) {
    const Json* required = find(node, "required");
    const Json* properties = find(node_, "properties");
    if (required == nullptr) return;
    for (const Json& name : *required) {
      const auto& key = name.get_ref<const std::string&>();
      if (result.contains(key) || (depth_ == 0 && key == "metadata")) continue;
      const Json* child = properties == nullptr ? nullptr : find(*properties, key.c_str());
      result[key] = child == nullptr ? Json("x") : generate(*child, random_, depth_ + 1);
    }
  }

  // One of several schemas is met, and what only the others require is left out.
  void choose_branch(const char* keyword, Json& result) {
    const Json* branches = find(node_, keyword);
    if (branches == nullptr || branches->empty()) return;
    const std::size_t chosen = random_.below(branches->size());
    for (std::size_t i = 0; i < branches->size(); ++i) {
      const Json* required = find((*branches)[i], "required");
      if (i == chosen || required == nullptr) continue;
      for (const Json& name : *required) result.erase(name.get<std::string>());
    }
    add_required((*branches)[chosen], result);
    add_required(node_, result);
  }

  void add_others(Json& result) {
    if (flag(node_, "x-kubernetes-embedded-resource")) {
      result["apiVersion"] = "v1";
      result["kind"] = "Pod";
      result["metadata"]["name"] = "inner";
    }
    const Json* others = find(node_, "additionalProperties");
    const bool free = flag(node_, "x-kubernetes-preserve-unknown-fields");
    if (!free && (others == nullptr || *others == false)) return;
    const std::size_t least = size_of(node_, "minProperties", 0);
    const std::size_t count = std::max(least, random_.below(4));
    for (std::size_t i = 0; i < count; ++i) {
      std::string key = random_.pick(kWords) + (i < 3 ? "" : std::to_string(i));
      if (find(result, key.c_str()) != nullptr) continue;
      result[key] = others != nullptr && others->is_object()
                        ? generate(*others, random_, depth_ + 1)
                        : arbitrary(random_, 2);
    }
  }

  const Json& node_;
  Random& random_;
  int depth_;
};

}  // namespace

Json generate(const Json& node, Random& random, int depth) {
  return Maker(node, random, depth).make();
}

Json arbitrary(Random& random, int depth) {
  switch (random.below(depth > 0 ? 7 : 5)) {
    case 0:
      return random.between(-3, 300);
    case 1:
      return random.pick(kWords);
    case 2:
      return random.chance(50);
    case 3:
      return static_cast<double>(random.below(100)) / 4;
    case 4:
      return random.chance(30) ? Json() : Json("text");
    case 5: {
      Json list = Json::array();
      for (std::size_t i = random.below(3); i > 0; --i)
        list.push_back(arbitrary(random, depth - 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (std::size_t i = random.below(3); i > 0; --i) {
        object[random.pick(kWords)] = arbitrary(random, depth - 1);
      }
      return object;
    }
  }
}

Generator::Generator(const Json& openapi_schema, std::uint64_t seed, Json head)
    : schema_(openapi_schema), random_(seed), head_(std::move(head)) {}

Json Generator::object_head() {
  Json object = head_;
  const std::array<std::string, 4> names = {"my-db", "a", "orders-2", "x-1"};
  object["metadata"]["name"] = random_.pick(names);
  if (random_.chance(20)) object["metadata"]["labels"]["app"] = "x";
  if (random_.chance(20)) object["metadata"]["annotations"]["example.com/note"] = "a <b> & \"c\"";
  return object;
}

Json Generator::valid() {
  slips_.clear();
  Json object = object_head();
  object.update(generate(schema_, random_));
  return object;
}

Json Generator::nearly_valid() {
  Json object = valid();
  const std::size_t count = 1 + random_.below(3);
  for (std::size_t i = 0; i < count; ++i) slips_.push_back(slip(schema_, object, random_));
  return object;
}

Json Generator::hostile() {
  Json object = valid();
  const std::size_t count = 1 + random_.below(2);
  for (std::size_t i = 0; i < count; ++i) slips_.push_back(attack(schema_, object, random_));
  return object;
}

Json Generator::mutate(const Json& object) {
  slips_.clear();
  Json changed = object;
  const std::size_t count = 1 + random_.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    slips_.push_back(random_.chance(75) ? change(schema_, changed, random_)
                                        : slip(schema_, changed, random_));
  }
  return changed;
}

}  // namespace pgc::test
