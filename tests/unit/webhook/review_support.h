// Reviews as the API server sends them, for the tests of the webhook.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "webhook/review.h"

namespace pgc::webhook::testing {

using Json = nlohmann::json;

inline constexpr const char* kUid = "705ab4f5-6393-11e8-b7cc-42010a800002";

inline Json cluster(Json spec) {
  return {{"apiVersion", "db.example.com/v1"},
          {"kind", "PostgresCluster"},
          {"metadata", {{"name", "my-db"}, {"namespace", "shop"}}},
          {"spec", std::move(spec)}};
}

// A review of `operation`; null stands for an absent object.
inline Json a_review(const std::string& operation, Json object, Json old_object = nullptr) {
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", kUid},
            {"kind", {{"group", "db.example.com"}, {"version", "v1"}, {"kind", "PostgresCluster"}}},
            {"operation", operation},
            {"namespace", "shop"},
            {"name", "my-db"},
            {"object", std::move(object)},
            {"oldObject", std::move(old_object)}}}};
}

// The `response` of the answer; the test fails where there is none.
inline Json response_to(Hook hook, const Json& asked) {
  const auto answer = review(hook, asked.dump());
  return Json::parse(answer.value().body).at("response");
}

}  // namespace pgc::webhook::testing
