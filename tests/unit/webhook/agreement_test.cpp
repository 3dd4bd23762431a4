// Three users, one verdict: what `kubectl pgc validate` says on a laptop, what the API server and
// the webhook say together, and what the operator says of what is stored, on thousands of made-up
// objects.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "plugin/judge.h"
#include "shared/schema/postgres_cluster.h"
#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/admission.h"
#include "shared/schema/structural/yaml.h"
#include "shared/x509/base64.h"
#include "tests/support/generate.h"
#include "tests/unit/webhook/review_support.h"
#include "tests/unit/webhook/server_support.h"

namespace pgc::webhook::testing {
namespace {

using Fields = std::multiset<std::string>;

schema::Crd our_crd() {
  return schema::parse_crd_yaml(schema::postgrescluster_crd()).value();
}

// Right, nearly right and hostile objects in turn, as they come out of a parser.
class Objects {
 public:
  explicit Objects(std::uint64_t seed)
      : generator_(schema::parse_yaml(schema::postgrescluster_crd())
                       ->front()
                       .value.at("/spec/versions/0/schema/openAPIV3Schema"_json_pointer),
                   seed, {{"apiVersion", "db.example.com/v1"}, {"kind", "PostgresCluster"}}) {}

  Json next() {
    const int kind = count_++ % 5;
    return clean(kind < 2   ? generator_.valid()
                 : kind < 4 ? generator_.nearly_valid()
                            : generator_.hostile());
  }
  // Under the name it had: under another it would be another object.
  Json changed(const Json& object) {
    Json now = clean(generator_.mutate(object));
    if (now.is_object()) now["metadata"] = object.at("metadata");
    return now;
  }

 private:
  // Of our kind, whatever was done to it: an object of another kind comes to none of the three.
  static Json clean(const Json& made_up) {
    Json object = Json::parse(made_up.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (!object.is_object()) return object;
    object["apiVersion"] = "db.example.com/v1";
    object["kind"] = "PostgresCluster";
    return object;
  }

  test::Generator generator_;
  int count_ = 0;
};

struct Seen {
  bool allowed = false;
  Fields fields;
};

Seen webhook_of(const Json& object, const Json& old = nullptr) {
  const auto answer =
      review(Hook::kValidate, a_review(old.is_null() ? "CREATE" : "UPDATE", object, old).dump());
  if (!answer) return {};  // too deep to be read
  return {answer->allowed, Fields(answer->fields.begin(), answer->fields.end())};
}

Seen operator_of(const Json& object) {
  const auto parsed = schema::parse_postgres_cluster(object);
  if (parsed) return {.allowed = true, .fields = {}};
  Seen seen;
  for (const auto& error : parsed.error()) seen.fields.insert(error.field);
  return seen;
}

plugin::Manifest manifest_of(const Json& object) {
  plugin::Manifest manifest;
  manifest.value = object;
  manifest.lines = std::make_shared<schema::YamlLines>();
  return manifest;
}

// Without what strict decoding alone refuses: the API server says that before anybody is asked.
Seen plugin_of(const plugin::Judge& judge, const Json& object) {
  Seen seen;
  for (const auto& error : judge.judge(manifest_of(object)).errors) {
    if (error.reason != "UnknownField") seen.fields.insert(error.field);
  }
  seen.allowed = seen.fields.empty();
  return seen;
}

TEST_CASE("plugin, webhook and operator give one verdict on each of thousands of objects",
          "[webhook]") {
  const int count = full() ? 10'000 : 1'000;
  const schema::Crd crd = our_crd();
  const schema::CrdVersion& version = crd.versions.front();
  const plugin::Judge judge;
  Objects objects(4);
  int good = 0;
  int by_rules = 0;
  int unreadable = 0;
  for (int i = 0; i < count; ++i) {
    const Json object = objects.next();
    INFO(i << ": " << object.dump().substr(0, 2'000));
    const schema::Admitted admitted = schema::admit(crd, version, object);
    if (admitted.unreadable) ++unreadable;
    const Seen stored_by_webhook = webhook_of(admitted.object);
    const Seen stored_by_operator = operator_of(admitted.object);
    const Seen laptop = plugin_of(judge, object);
    REQUIRE(laptop.allowed == (admitted.ok() && stored_by_webhook.allowed));
    REQUIRE(stored_by_webhook.allowed == stored_by_operator.allowed);
    if (!stored_by_webhook.fields.empty()) {
      REQUIRE(stored_by_webhook.fields == stored_by_operator.fields);
    }
    good += laptop.allowed ? 1 : 0;
    by_rules += admitted.ok() && !stored_by_webhook.allowed ? 1 : 0;
  }
  WARN(count << " objects, one verdict each: " << good << " good, " << by_rules
             << " refused by rules alone, " << unreadable << " not readable, "
             << count - good - by_rules - unreadable << " by structure");
  CHECK(good > count / 10);
  CHECK(by_rules > 0);
}

TEST_CASE("and on changes of objects", "[webhook]") {
  const int count = full() ? 10'000 : 700;
  const schema::Crd crd = our_crd();
  const schema::CrdVersion& version = crd.versions.front();
  plugin::Judge judge;
  Objects objects(5);
  int judged = 0;
  int good = 0;
  while (judged < count) {
    const schema::Admitted old = schema::admit(crd, version, objects.next());
    if (!old.ok()) continue;
    ++judged;
    const Json wanted = objects.changed(old.object);
    INFO(old.object.dump() << "\n→ " << wanted.dump().substr(0, 2'000));
    const schema::Admitted now = schema::admit(crd, version, wanted, &old.object);
    const Seen webhook = webhook_of(now.object, old.object);
    judge.add_old({manifest_of(old.object)});
    const Seen laptop = plugin_of(judge, wanted);
    REQUIRE(laptop.allowed == (now.ok() && webhook.allowed));
    good += laptop.allowed ? 1 : 0;
  }
  WARN(count << " changes, one verdict each: " << good << " good");
}

// Whatever stands in `before`, but for nulls, stands in `after` as it was.
bool keeps(const Json& after, const Json& before) {
  if (before.is_object()) {
    if (!after.is_object()) return false;
    for (const auto& [name, value] : before.items()) {
      if (value.is_null()) continue;
      const auto found = after.find(name);
      if (found == after.end() || !keeps(*found, value)) return false;
    }
    return true;
  }
  if (!before.is_array()) return after == before;
  if (!after.is_array() || after.size() != before.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!before[i].is_null() && !keeps(after[i], before[i])) return false;
  }
  return true;
}

std::optional<Json> mutated(const Json& object) {
  const auto answer = review(Hook::kMutate, a_review("CREATE", object).dump());
  if (!answer || !answer->allowed) return std::nullopt;
  const Json response = Json::parse(answer->body).at("response");
  if (!response.contains("patch")) return object;
  return object.patch(
      Json::parse(x509::from_base64(response.at("patch").get<std::string>()).value()));
}

TEST_CASE("to mutate again changes nothing, and nothing that was there is lost", "[webhook]") {
  const int count = full() ? 10'000 : 1'000;
  Objects objects(6);
  int changed = 0;
  for (int i = 0; i < count; ++i) {
    Json object = objects.next();
    if (object["spec"].is_object()) {
      object["spec"]["fieldOfTheFuture"] = {{"a/b~c", {1, nullptr, "x"}}};
    }
    object["futureToo"] = i;
    INFO(object.dump().substr(0, 2'000));
    const auto once = mutated(object);
    if (!once) continue;  // too deep
    REQUIRE(keeps(*once, object));
    REQUIRE(mutated(*once) == once);
    changed += *once != object ? 1 : 0;
  }
  WARN(count << " objects, " << changed << " of them got defaults");
  CHECK(changed > count / 2);
}

}  // namespace
}  // namespace pgc::webhook::testing
