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
  const char* sign = change.kind == Change::Kind::kAdded      ? "+"
                     : change.kind == Change::Kind::kDeleted  ? "-"
                     : change.kind == Change::Kind::kModified ? "*"
                                                              : "=";
  return sign + change.name;
}

std::vector<std::string> names(Cache& cache, const ResourceType& type, const ListOptions& options) {
  std::vector<std::string> result;
  const ObjectList list = cache.list(type, options).value();
  for (const Object& item : list.items) result.emplace_back(item.name());
  return result;
}

Object labelled(const std::string& name, const std::string& version, const std::string& cluster) {
  return object("shop", name, version, {{"cluster", cluster}});
}

TEST_CASE("a full list tells what it changed, and touches no other type and namespace") {
  Cache cache;
  cache.put(kConfigMaps, object("shop", "other", "1"));
  cache.put(kPods, object("bank", "elsewhere", "1"));
  for (const char* name : {"stays", "changes", "goes"}) cache.put(kPods, object("shop", name, "1"));
  std::vector<std::string> changes;
  for (const auto& item :
       {object("shop", "stays", "1"), object("shop", "changes", "2", {{"a", "b"}}),
        object("shop", "comes", "3")}) {
    if (const Change change = cache.put_listed(kPods, item)) changes.push_back(text(change));
  }
  const std::set<Cache::Name> listed{{"shop", "stays"}, {"shop", "changes"}, {"shop", "comes"}};
  for (const Change& change : cache.keep_only(kPods, "shop", listed)) {
    changes.push_back(text(change));
  }
  CHECK(changes == std::vector<std::string>{"*changes", "+comes", "-goes"});
  CHECK(names(cache, kPods, {.ns = "shop"}) ==
        std::vector<std::string>{"changes", "comes", "stays"});
  CHECK(names(cache, kPods, {.ns = "bank"}).size() == 1);
  CHECK(names(cache, kConfigMaps, {}) == std::vector<std::string>{"other"});
  CHECK(cache.keep_only(kPods, "", listed).size() == 1);
}

TEST_CASE("put and erase tell what has become of the object") {
  Cache cache;
  CHECK(text(cache.put(kPods, object("shop", "a", "1"))) == "+a");
  CHECK(text(cache.put(kPods, object("shop", "a", "2", {{"a", "b"}}))) == "*a");
  CHECK(text(cache.erase(kPods, object("shop", "a", "3"))) == "-a");
  CHECK_FALSE(cache.erase(kPods, object("shop", "a", "3")));
}

TEST_CASE("what differs in bookkeeping alone is no change, but is read") {
  Cache cache;
  cache.put(kPods, object("shop", "a", "1"));
  CHECK_FALSE(cache.put(kPods, object("shop", "a", "2")));
  CHECK(cache.get({kPods, "shop", "a"})->resource_version() == "2");
}

TEST_CASE("the digest decides what is a change") {
  Cache cache({.digest = [](const Object& o) { return std::uint64_t{o.label("weighs").size()}; }});
  cache.put(kPods, object("shop", "a", "1", {{"other", "1"}}));
  CHECK_FALSE(cache.put(kPods, object("shop", "a", "2", {{"other", "2"}})));
  CHECK(cache.put(kPods, object("shop", "a", "3", {{"weighs", "1"}})));
}

TEST_CASE("a generation that moves is told") {
  Cache cache;
  Json document = {{"metadata", {{"namespace", "shop"}, {"name", "a"}, {"generation", 1}}}};
  CHECK(cache.put(kPods, Object(document)).spec);
  document["metadata"]["labels"] = {{"a", "b"}};
  CHECK_FALSE(cache.put(kPods, Object(document)).spec);
  document["metadata"]["generation"] = 2;
  CHECK(cache.put(kPods, Object(document)).spec);
}

TEST_CASE("a watch that tells the past again changes nothing") {
  Cache cache;
  cache.put(kPods, object("shop", "a", "10", {{"new", "yes"}}));
  CHECK_FALSE(cache.put(kPods, object("shop", "a", "9", {{"old", "yes"}})));
  CHECK_FALSE(cache.erase(kPods, object("shop", "a", "9")));
  CHECK(cache.get({kPods, "shop", "a"})->label("new") == "yes");
}

TEST_CASE("a list is the truth, also where it is older") {
  Cache cache;
  cache.put(kPods, object("shop", "a", "10", {{"new", "yes"}}));
  CHECK(cache.put_listed(kPods, object("shop", "a", "9")));
  CHECK(cache.get({kPods, "shop", "a"})->resource_version() == "9");
}

TEST_CASE("what we wrote is seen at once, unless the watch has come that far") {
  Cache cache;
  cache.put_written(kPods, object("shop", "too-early", "5"));  // nothing is watched yet
  cache.reached(kPods, "", "10");
  cache.put_written(kPods, object("shop", "a", "11"));
  cache.put_written(kPods, object("shop", "was-deleted-since", "10"));
  CHECK(names(cache, kPods, {}) == std::vector<std::string>{"a"});
  CHECK_FALSE(cache.put(kPods, object("shop", "a", "11")));  // its echo
  CHECK(cache.put(kPods, object("shop", "a", "12", {{"by", "others"}})));
}

TEST_CASE("what the watch tells of our own write is not looked at again") {
  int looks = 0;
  Cache cache({.digest = [&](const Object&) { return static_cast<std::uint64_t>(++looks); }});
  cache.reached(kPods, "", "10");
  cache.put_written(kPods, object("shop", "a", "11"));
  CHECK_FALSE(cache.put(kPods, object("shop", "a", "11")));
  CHECK(looks == 1);
  CHECK(cache.put(kPods, object("shop", "a", "12")));
  CHECK(cache.put(kPods, object("bank", "a", "12")));
  CHECK(cache.put(kConfigMaps, object("shop", "a", "12")));
}

TEST_CASE("with a watch for each namespace, it is the object's own that counts") {
  Cache cache;
  cache.reached(kPods, "shop", "10");
  cache.reached(kPods, "bank", "20");
  cache.put_written(kPods, object("shop", "a", "15"));
  cache.put_written(kPods, object("bank", "b", "15"));
  CHECK(names(cache, kPods, {}) == std::vector<std::string>{"a"});
}

Object with_uid(const std::string& version, const std::string& uid) {
  Json document = object("shop", "a", version).json();
  document["metadata"]["uid"] = uid;
  return Object(document);
}

TEST_CASE("what we deleted is not seen, until something newer is told about it") {
  const ObjectRef ref{kPods, "shop", "a"};
  Cache cache;
  cache.put(kPods, with_uid("1", "first"));
  cache.hide(ref, "another");
  CHECK(cache.get(ref));
  cache.hide(ref, "first");
  CHECK_FALSE(cache.get(ref));
  CHECK(names(cache, kPods, {}).empty());
  cache.put(kPods, with_uid("1", "first"));  // the list before the deletion
  CHECK_FALSE(cache.get(ref));
  SECTION("it is gone") {
    CHECK(text(cache.erase(kPods, with_uid("2", "first"))) == "-a");
  }
  SECTION("it lingers with a finalizer") {
    cache.put(kPods, with_uid("2", "first"));
    CHECK(cache.get(ref));
  }
}

TEST_CASE("a list by the group label finds the same with and without the index") {
  for (const char* label : {"", "cluster"}) {
    CAPTURE(label);
    Cache cache({.group_label = label});
    cache.put(kPods, labelled("b", "1", "x"));
    cache.put(kPods, labelled("a", "1", "x"));
    cache.put(kPods, labelled("c", "1", "y"));
    cache.put(kConfigMaps, labelled("d", "1", "x"));
    cache.put(kPods, object("bank", "e", "1", {{"cluster", "x"}}));
    const ListOptions of_x{.ns = "shop", .label_selector = "cluster=x"};
    CHECK(names(cache, kPods, of_x) == std::vector<std::string>{"a", "b"});
    cache.put(kPods, labelled("a", "2", "y"));
    CHECK(names(cache, kPods, of_x) == std::vector<std::string>{"b"});
    cache.erase(kPods, labelled("b", "2", "x"));
    CHECK(names(cache, kPods, of_x).empty());
    CHECK(names(cache, kPods, {.ns = "shop", .label_selector = "cluster=y"}).size() == 2);
  }
}

TEST_CASE("a change tells the group of the object, and the one that it has left") {
  Cache cache({.group_label = "cluster"});
  CHECK(cache.put(kPods, labelled("a", "1", "x")).group == "x");
  const Change moved = cache.put(kPods, labelled("a", "2", "y"));
  CHECK(moved.group == "y");
  CHECK(moved.former_group == "x");
  const Change left = cache.put(kPods, object("shop", "a", "3"));
  CHECK(left.group.empty());
  CHECK(left.former_group == "y");
  cache.put(kPods, labelled("a", "4", "z"));
  CHECK(cache.erase(kPods, object("shop", "a", "5")).group == "z");
}

TEST_CASE("what a controller owns is found by its UID") {
  Cache cache;
  Json document = object("shop", "a", "1").json();
  document["metadata"]["ownerReferences"] = Json::array({{{"uid", "u"}, {"controller", true}}});
  cache.put(kPods, Object(document));
  cache.put(kConfigMaps, object("shop", "b", "1"));
  const auto owned = cache.owned_by("u");
  REQUIRE(owned.size() == 1);
  CHECK(owned[0].first == kPods);
  CHECK(owned[0].second.name() == "a");
  cache.put(kPods, object("shop", "a", "2"));
  CHECK(cache.owned_by("u").empty());
}

TEST_CASE("the size is told by type") {
  Cache cache;
  cache.put(kPods, object("shop", "a", "1"));
  cache.put(kPods, object("shop", "b", "1"));
  CHECK(cache.size().at(kPods).objects == 2);
  CHECK(cache.size().at(kPods).bytes > 50);
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
