#include "tests/fuzz/answer.h"

#include <nlohmann/json.hpp>

#include "shared/x509/base64.h"
#include "tests/fuzz/property.h"

namespace pgc::fuzz {
namespace {

bool is_version(const Json& version) {
  return version == "admission.k8s.io/v1" || version == "admission.k8s.io/v1beta1";
}

void check_refusal(const Json& response, const std::string& shown) {
  const Json status = response.value("status", Json::object());
  const int code = status.value("code", 0);
  must(code >= 400 && code < 600, "a refusal has a code", shown);
  must(!status.value("message", "").empty(), "a refusal says why", shown);
  must(!response.contains("patch"), "a refusal changes nothing", shown);
}

void check_patch(webhook::Hook hook, const Json& response, const std::string& shown) {
  must(response.contains("patch") == response.contains("patchType"), "a patch has a type", shown);
  if (!response.contains("patch")) return;
  must(hook == webhook::Hook::kMutate, "only the mutating hook changes anything", shown);
  must(response["patchType"] == "JSONPatch", "the patch is a JSON patch", shown);
}

}  // namespace

Json review_of(const Json& object, const Json& old) {
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", "705ab4f5-6393-11e8-b7cc-42010a800002"},
            {"kind", {{"group", "db.example.com"}, {"version", "v1"}, {"kind", "PostgresCluster"}}},
            {"operation", old.is_null() ? "CREATE" : "UPDATE"},
            {"namespace", "shop"},
            {"name", "my-db"},
            {"object", object},
            {"oldObject", old}}}};
}

Json checked_response(webhook::Hook hook, const Json& asked, const webhook::Answer& answer) {
  const Json said = Json::parse(answer.body, nullptr, false);
  must(said.is_object() && said.contains("response"), "the answer is a review", answer.body);
  const Json& response = said["response"];
  must(said["kind"] == "AdmissionReview", "the answer is a review", answer.body);
  const bool as_asked = said["apiVersion"] == asked.value("apiVersion", Json());
  must(!answer.allowed || (as_asked && is_version(said["apiVersion"])),
       "what is allowed is of a known version, the one that was asked", answer.body);
  must(response.contains("uid") &&
           response["uid"] == asked.value(Json::json_pointer("/request/uid"), Json()),
       "the uid is echoed", answer.body);
  must(response.value("allowed", !answer.allowed) == answer.allowed, "the log says the same",
       answer.body);
  if (!answer.allowed) check_refusal(response, answer.body);
  check_patch(hook, response, answer.body);
  for (const Json& warning : response.value("warnings", Json::array())) {
    must_be_a_warning(warning, 256);
  }
  return response;
}

Json checked_response(webhook::Hook hook, const Json& asked) {
  const auto answer =
      webhook::review(hook, asked.dump(-1, ' ', false, Json::error_handler_t::replace));
  must(answer.has_value(), "a review is answered", answer ? "" : answer.error());
  return checked_response(hook, asked, *answer);
}

Json patched(const Json& asked, const Json& response) {
  const Json& object = asked["request"]["object"];
  if (!response.contains("patch")) return object;
  const auto text = x509::from_base64(response["patch"].get<std::string>());
  must(text.has_value(), "the patch is base64");
  const Json patch = Json::parse(*text, nullptr, false);
  must(patch.is_array() && !patch.empty(), "the patch is a list of changes", *text);
  return object.patch(patch);  // throws where it does not apply
}

}  // namespace pgc::fuzz
