#include "shared/kube/cache.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace pgc::kube {
namespace {

Object object(const std::string& ns, const std::string& name, const std::string& version,
              const Json& labels = Json::object()) {
  return Object(Json{
      {"metadata",
       {{"namespace", ns}, {"name", name}, {"resourceVersion", version}, {"labels", labels}}}});
}

std::string text(const Change& change) {
  const auto version = [](const std::optional<Object>& o) {
    return o ? std::string(o->resource_version()) : "-";
  };
  const Object& named = change.after ? *change.after : *change.before;
  return std::string(named.name()) + " " + version(change.before) + ">" + version(change.after);
}

std::vector<std::string> names(Cache& cache, const ResourceType& type, const ListOptions& options) {
  std::vector<std::string> result;
  const ObjectList list = cache.list(type, options).value();
  for (const Object& item : list.items) result.emplace_back(item.name());
  return result;
}

TEST_CASE("a full list tells what it changed, and touches no other type") {
  Cache cache;
  cache.put(kConfigMaps, object("shop", "other", "1"));
  cache.replace_all(kPods, {object("shop", "stays", "1"), object("shop", "changes", "1"),
                            object("shop", "goes", "1")});
  std::vector<std::string> changes;
  for (const Change& change :
       cache.replace_all(kPods, {object("shop", "stays", "1"), object("shop", "changes", "2"),
                                 object("shop", "comes", "3")})) {
    changes.push_back(text(change));
  }
  CHECK(changes == std::vector<std::string>{"changes 1>2", "goes 1>-", "comes ->3"});
  CHECK(names(cache, kPods, {}) == std::vector<std::string>{"changes", "comes", "stays"});
  CHECK(names(cache, kConfigMaps, {}) == std::vector<std::string>{"other"});
}

TEST_CASE("put and erase tell what was before") {
  Cache cache;
  CHECK(text(cache.put(kPods, object("shop", "a", "1"))) == "a ->1");
  CHECK(text(cache.put(kPods, object("shop", "a", "2"))) == "a 1>2");
  CHECK(text(cache.erase(kPods, object("shop", "a", "3"))) == "a 2>-");
  const Change nothing = cache.erase(kPods, object("shop", "a", "3"));
  CHECK_FALSE(nothing.before);
  CHECK_FALSE(nothing.after);
}

TEST_CASE("get finds by type, namespace and name, and else says NotFound") {
  Cache cache;
  cache.put(kPods, object("shop", "a", "1"));
  CHECK(cache.get({kPods, "shop", "a"})->resource_version() == "1");
  for (const ObjectRef& ref : {ObjectRef{kPods, "shop", "b"}, ObjectRef{kPods, "bank", "a"},
                               ObjectRef{kConfigMaps, "shop", "a"}}) {
    const auto missing = cache.get(ref);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().is(ErrorKind::kNotFound));
    CHECK(missing.error().message.find(ref.to_string()) == 0);
  }
}

TEST_CASE("a list keeps to its namespace and selector") {
  Cache cache;
  cache.put(kPods, object("bank", "a", "1", {{"app", "x"}}));
  cache.put(kPods, object("shop", "b", "1", {{"app", "x"}, {"tier", "1"}}));
  cache.put(kPods, object("shop", "c", "1", {{"app", "y"}}));
  cache.put(kPods, object("shopping", "d", "1", {{"app", "x"}}));
  CHECK(names(cache, kPods, {}).size() == 4);
  CHECK(names(cache, kPods, {.ns = "shop"}) == std::vector<std::string>{"b", "c"});
  CHECK(names(cache, kPods, {.ns = "shop", .label_selector = "app=x"}) ==
        std::vector<std::string>{"b"});
  CHECK(names(cache, kPods, {.label_selector = "app=x"}) ==
        std::vector<std::string>{"a", "b", "d"});
  CHECK(names(cache, kPods, {.ns = "none"}).empty());
}

TEST_CASE("a selector matches when every term does") {
  const Object labelled = object("shop", "a", "1", {{"app", "x"}, {"tier", ""}});
  CHECK(matches_selector(labelled, ""));
  CHECK(matches_selector(labelled, "app=x"));
  CHECK(matches_selector(labelled, "app=x,tier="));
  CHECK_FALSE(matches_selector(labelled, "app=x,tier=1"));
  CHECK_FALSE(matches_selector(labelled, "app=xx"));
  CHECK_FALSE(matches_selector(labelled, "zone=a"));
  CHECK_FALSE(matches_selector(labelled, "app"));  // a form that is not supported matches nothing
}

}  // namespace
}  // namespace pgc::kube
