#include "webhook/review.h"

#include <catch2/catch_test_macros.hpp>

#include "shared/x509/base64.h"
#include "tests/unit/webhook/review_support.h"

namespace pgc::webhook {
namespace {

using testing::a_review;
using testing::cluster;
using testing::Json;
using testing::response_to;

const Json kGood = {{"version", "16"}, {"replicas", 3}};
const Json kBad = {{"version", "16"}, {"replicas", 0}};

Json patch_in(const Json& response) {
  return Json::parse(x509::from_base64(response.at("patch").get<std::string>()).value());
}

TEST_CASE("defaults come as a patch that keeps what this program does not know", "[webhook]") {
  Json object = cluster({{"version", "16"}, {"fieldOfTheFuture", {{"a", 1}}}});
  object["metadata"]["annotations"] = {{"a/b~c", "d"}};
  const Json response = response_to(Hook::kMutate, a_review("CREATE", object));
  CHECK(response.at("allowed") == true);
  CHECK(response.at("patchType") == "JSONPatch");
  const Json patched = object.patch(patch_in(response));
  CHECK(patched["spec"]["replicas"] == 1);
  CHECK(patched["spec"]["storage"]["size"] == "10Gi");
  CHECK(patched["spec"]["fieldOfTheFuture"] == Json{{"a", 1}});
  CHECK(patched["metadata"] == object["metadata"]);
  for (const Json& operation : patch_in(response)) CHECK(operation.at("op") == "add");
}

TEST_CASE("a second mutation finds nothing to do, and then sends neither patch nor type",
          "[webhook]") {
  const Json object = cluster(kGood);
  const Json once = object.patch(patch_in(response_to(Hook::kMutate, a_review("CREATE", object))));
  const Json response = response_to(Hook::kMutate, a_review("CREATE", once));
  CHECK(response == Json{{"uid", testing::kUid}, {"allowed", true}});
}

TEST_CASE("an object that cannot be right is mutated none the less; the verdict comes later",
          "[webhook]") {
  for (const Json& spec : {Json::object(), Json{{"replicas", "three"}}, Json("no map"), Json()}) {
    INFO(spec.dump());
    CHECK(response_to(Hook::kMutate, a_review("CREATE", cluster(spec))).at("allowed") == true);
  }
}

TEST_CASE("a good object is allowed", "[webhook]") {
  CHECK(response_to(Hook::kValidate, a_review("CREATE", cluster(kGood))).at("allowed") == true);
}

TEST_CASE("a bad one is refused as the API server itself would: 422, with every field",
          "[webhook]") {
  const Json spec = {{"version", "9.6"}, {"replicas", 0}};
  const Json response = response_to(Hook::kValidate, a_review("CREATE", cluster(spec)));
  CHECK(response.at("allowed") == false);
  CHECK_FALSE(response.contains("patch"));
  const Json& status = response.at("status");
  CHECK(status.at("code") == 422);
  CHECK(status.at("reason") == "Invalid");
  CHECK(status.at("message") ==
        "PostgresCluster.db.example.com \"my-db\" is invalid: "
        "[spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal "
        "to 1, "
        "spec.version: Unsupported value: \"9.6\": supported values: \"16\", \"17\"]");
  const Json& details = status.at("details");
  CHECK(details.at("group") == "db.example.com");
  CHECK(details.at("kind") == "PostgresCluster");
  CHECK(details.at("name") == "my-db");
  REQUIRE(details.at("causes").size() == 2);
  CHECK(details["causes"][0] ==
        Json{{"reason", "FieldValueInvalid"},
             {"field", "spec.replicas"},
             {"message",
              "Invalid value: 0: spec.replicas in body should be greater than or equal to 1"}});
  CHECK(details["causes"][1].at("field") == "spec.version");
}

TEST_CASE("a single error stands without brackets", "[webhook]") {
  const Json response = response_to(Hook::kValidate, a_review("CREATE", cluster(kBad)));
  CHECK(response.at("status").at("message") ==
        "PostgresCluster.db.example.com \"my-db\" is invalid: spec.replicas: Invalid value: 0: "
        "spec.replicas in body should be greater than or equal to 1");
}

TEST_CASE("an update is judged against what was there", "[webhook]") {
  const Json old = cluster({{"version", "17"}});
  const Json now = cluster({{"version", "16"}});
  const Json response = response_to(Hook::kValidate, a_review("UPDATE", now, old));
  CHECK(response.at("allowed") == false);
  CHECK(response.at("status").at("details").at("causes").at(0).at("field") == "spec.version");
}

TEST_CASE("an update that leaves the spec alone is never in question", "[webhook]") {
  const Json old = cluster(kBad);
  Json now = old;
  now["metadata"]["finalizers"] = Json::array();
  for (const Hook hook : {Hook::kMutate, Hook::kValidate}) {
    const Json response = response_to(hook, a_review("UPDATE", now, old));
    CHECK(response == Json{{"uid", testing::kUid}, {"allowed", true}});
  }
}

TEST_CASE("deletion is allowed, by either hook", "[webhook]") {
  for (const Hook hook : {Hook::kMutate, Hook::kValidate}) {
    CHECK(response_to(hook, a_review("DELETE", nullptr, cluster(kBad))).at("allowed") == true);
    CHECK(response_to(hook, a_review("DELETE", nullptr, nullptr)).at("allowed") == true);
  }
}

TEST_CASE("what is asked wrongly is refused, with its uid and the reason", "[webhook]") {
  struct Case {
    const char* name;
    Json asked;
    const char* message;
  };
  Json scale = a_review("UPDATE", Json::object(), Json::object());
  scale["request"]["kind"] = {{"group", "autoscaling"}, {"version", "v1"}, {"kind", "Scale"}};
  Json newer = a_review("CREATE", cluster(kGood));
  newer["request"]["kind"]["version"] = "v2";
  const std::vector<Case> cases = {
      {"a Scale", scale,
       "this webhook judges db.example.com/v1 PostgresCluster, not autoscaling/v1 Scale; correct "
       "the "
       "rules of the webhook configuration"},
      {"a version that we do not know", newer,
       "this webhook judges db.example.com/v1 PostgresCluster, not db.example.com/v2 "
       "PostgresCluster; "
       "correct the rules of the webhook configuration"},
      {"an unknown operation", a_review("PATCH", cluster(kGood)),
       "unknown operation \"PATCH\"; expected CREATE, UPDATE, DELETE or CONNECT"},
      {"CREATE of nothing", a_review("CREATE", nullptr), "CREATE without an object"},
      {"CREATE of a list", a_review("CREATE", Json::array()), "CREATE without an object"},
      {"UPDATE of nothing", a_review("UPDATE", cluster(kGood)), "UPDATE without an oldObject"},
  };
  for (const Case& c : cases) {
    for (const Hook hook : {Hook::kMutate, Hook::kValidate}) {
      INFO(c.name);
      const Json response = response_to(hook, c.asked);
      CHECK(response.at("uid") == testing::kUid);
      CHECK(response.at("allowed") == false);
      CHECK(response.at("status").at("code") == 400);
      CHECK(response.at("status").at("message") == c.message);
    }
  }
}

TEST_CASE("what is no review gets no answer, and the reason", "[webhook]") {
  const auto without = [](const char* pointer) {
    Json asked = a_review("CREATE", cluster(kGood));
    const Json::json_pointer path(pointer);
    asked.at(path.parent_pointer()).erase(path.back());
    return asked.dump();
  };
  const std::string deep(100'000, '[');
  const std::pair<std::string, std::string> cases[] = {
      {"", "request body is empty"},
      {"{", "the body is no JSON"},
      {"}", "the body is no JSON object"},
      {"[]", "the body is no JSON object"},
      {"{\"a\":\"\xff\"}", "the body is no JSON"},
      {"{}", "the body is no AdmissionReview of admission.k8s.io/v1"},
      {without("/request"), "the AdmissionReview has no request"},
      {without("/request/uid"), "the request has no uid"},
      {deep, "the body is no JSON object"},
      {R"({"kind":"\"[[[","a":)" + deep, "the review is nested deeper than 66"},
  };
  for (const auto& [body, reason] : cases) {
    INFO(body.substr(0, 80));
    const auto answer = review(Hook::kValidate, body);
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error() == reason);
  }
}

TEST_CASE("who asks badly but says who he is gets an answer", "[webhook]") {
  Json asked = a_review("CREATE", cluster(kGood));
  asked.erase("kind");
  Json deep = a_review("CREATE", cluster(kGood));
  deep["request"]["object"]["spec"]["a"] =
      Json::parse(std::string(64, '[') + std::string(64, ']'), nullptr, false);
  const std::string cut = a_review("CREATE", cluster(kGood)).dump();
  // nlohmann writes keys in their order: uid comes last in `request`, so a tail is cut off behind
  // it
  for (const std::string& body :
       {asked.dump(), R"({"request":{"uid":")" + std::string(testing::kUid) + R"(","a":)" + "[",
        cut.substr(0, cut.size() - 1)}) {
    const Json answer = Json::parse(review(Hook::kValidate, body).value().body);
    CHECK(answer.at("response").at("uid") == testing::kUid);
    CHECK(answer.at("response").at("allowed") == false);
    CHECK(answer.at("response").at("status").at("code") == 400);
  }
}

TEST_CASE("an object of the greatest depth is read, and one level more is not", "[webhook]") {
  const auto nested = [](int levels) {
    Json asked = a_review("CREATE", cluster(kGood));
    std::string text = asked.dump();
    const std::string deep = std::string(static_cast<std::size_t>(levels), '[') +
                             std::string(static_cast<std::size_t>(levels), ']');
    // the object itself is one level
    text.replace(text.find("\"object\":{"), 10, "\"object\":{\"a\":" + deep + ",");
    const auto answer = review(Hook::kMutate, text);
    return answer && answer->allowed;
  };
  CHECK(nested(63));
  CHECK_FALSE(nested(64));
}

TEST_CASE("who manages which field is passed over, and stays", "[webhook]") {
  Json object = cluster(kGood);
  object["metadata"]["managedFields"] = {{{"manager", "kubectl"}, {"fieldsV1", {{"f:spec", 1}}}}};
  object["spec"]["managedFields"] = "not these";
  Json old = object;
  old["metadata"]["managedFields"] = Json::array();
  const Json patch = patch_in(response_to(Hook::kMutate, a_review("CREATE", object)));
  const Json patched = object.patch(patch);
  CHECK(patched["metadata"] == object["metadata"]);
  CHECK(patched["spec"]["managedFields"] == "not these");
  CHECK(response_to(Hook::kMutate, a_review("UPDATE", object, old)) ==
        Json{{"uid", testing::kUid}, {"allowed", true}});
}

TEST_CASE("what is being deleted can lose finalizers and labels, and change nothing else",
          "[webhook]") {
  Json old = cluster(kGood);
  old["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z";
  old["metadata"]["finalizers"] = {"db.example.com/x"};
  Json now = old;
  now["metadata"]["finalizers"] = Json::array();
  now["metadata"]["labels"] = {{"a", "b"}};
  now["status"] = {{"phase", "Deleting"}};
  CHECK(response_to(Hook::kValidate, a_review("UPDATE", now, old)).at("allowed") == true);
  now["spec"]["replicas"] = 2;
  const Json response = response_to(Hook::kValidate, a_review("UPDATE", now, old));
  CHECK(response.at("allowed") == false);
  CHECK(response.at("status").at("message") ==
        "PostgresCluster.db.example.com \"my-db\" is invalid: spec: Forbidden: the object is being "
        "deleted; only its labels, annotations and finalizers may change");
}

TEST_CASE("a change that costs something is allowed with a word about the price", "[webhook]") {
  const Json old = cluster({{"version", "16"}});
  const Json now =
      cluster({{"version", "16"}, {"postgresql", {{"parameters", {{"max_connections", "200"}}}}}});
  const Json response = response_to(Hook::kValidate, a_review("UPDATE", now, old));
  CHECK(response.at("allowed") == true);
  REQUIRE(response.contains("warnings"));
  CHECK(response.at("warnings").at(0).get<std::string>().find("max_connections") !=
        std::string::npos);
  CHECK_FALSE(response_to(Hook::kValidate, a_review("CREATE", now)).contains("warnings"));
  const Json broken = cluster({{"version", "?"}, {"storage", 7}});
  CHECK(response_to(Hook::kValidate, a_review("UPDATE", now, broken)).contains("uid"));
}

TEST_CASE("brackets in strings are not depth", "[webhook]") {
  Json object = cluster(kGood);
  object["metadata"]["annotations"] = {{"a", std::string(1000, '[') + "\\\""}};
  CHECK(response_to(Hook::kValidate, a_review("CREATE", object)).at("allowed") == true);
}

TEST_CASE("the answer repeats the version of the question", "[webhook]") {
  Json asked = a_review("CREATE", cluster(kGood));
  for (const char* version : {"admission.k8s.io/v1", "admission.k8s.io/v1beta1"}) {
    asked["apiVersion"] = version;
    const Json answer = Json::parse(review(Hook::kValidate, asked.dump())->body);
    CHECK(answer.at("apiVersion") == version);
    CHECK(answer.at("kind") == "AdmissionReview");
  }
}

TEST_CASE("the log learns which object and which fields, and no value", "[webhook]") {
  Json spec = kGood;
  spec["postgresql"]["parameters"] = {{"archive_command", "sesame"}};
  const auto answer = review(Hook::kValidate, a_review("CREATE", cluster(spec)).dump());
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->allowed);
  CHECK(answer->uid == testing::kUid);
  CHECK(answer->ns == "shop");
  CHECK(answer->name == "my-db");
  CHECK(answer->operation == "CREATE");
  REQUIRE(answer->fields.size() == 1);
  CHECK(answer->fields[0].find("sesame") == std::string::npos);
}

}  // namespace
}  // namespace pgc::webhook
