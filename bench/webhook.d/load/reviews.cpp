#include "bench/webhook.d/load/reviews.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/rules.h"

namespace pgc::bench {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kUid = "00000000-0000-4000-8000-000000000000";
constexpr std::size_t kCounterDigits = 12;

Json envelope(const std::string& operation, const Json& object, const Json& old) {
  const Json kind = {{"group", "db.example.com"}, {"version", "v1"}, {"kind", "PostgresCluster"}};
  const Json resource = {
      {"group", "db.example.com"}, {"version", "v1"}, {"resource", "postgresclusters"}};
  const std::string options = operation == "CREATE" ? "CreateOptions" : "UpdateOptions";
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", kUid},
            {"kind", kind},
            {"resource", resource},
            {"requestKind", kind},
            {"requestResource", resource},
            {"name", object["metadata"]["name"]},
            {"namespace", object["metadata"]["namespace"]},
            {"operation", operation},
            {"userInfo",
             {{"username", "jane@example.com"}, {"groups", {"shop", "system:authenticated"}}}},
            {"object", object},
            {"oldObject", old},
            {"dryRun", false},
            {"options",
             {{"apiVersion", "meta.k8s.io/v1"},
              {"kind", options},
              {"fieldManager", "kubectl-client-side-apply"},
              {"fieldValidation", "Strict"}}}}}};
}

std::string over_the_wire(const std::string& hook, const std::string& body) {
  return "POST /" + hook + "-db-example-com-v1-postgrescluster?timeout=10s HTTP/1.1\r\n" +
         "Host: pgc-webhook.pgc-system.svc:443\r\nUser-Agent: kube-apiserver-admission\r\n" +
         "Content-Length: " + std::to_string(body.size()) +
         "\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\n\r\n" + body;
}

Json defaulted(Json object) {
  schema::apply_defaults(object);
  return object;
}

Review make(const Json& described, const Json& objects) {
  const auto& operation = described.at("operation").get_ref<const std::string&>();
  const Json& base = objects.at(described.at("object").get<std::string>());
  Json object = described.at("defaulted") == true ? defaulted(base) : base;
  const Json old = operation == "UPDATE" ? defaulted(base) : Json();
  object.merge_patch(described.value("change", Json::object()));
  Review review;
  review.name = described.at("name");
  review.hook = described.at("hook");
  review.allowed = described.value("allowed", true);
  review.patched = described.value("patched", false);
  review.request = over_the_wire(review.hook, envelope(operation, object, old).dump());
  review.uid_at = review.request.find(kUid);
  return review;
}

std::vector<Review> make_all(const Json& file, const std::string& hook) {
  std::vector<Review> reviews;
  for (const Json& described : file.at("reviews")) {
    if (hook.empty() || described.at("hook") == hook) {
      reviews.push_back(make(described, file.at("objects")));
    }
  }
  return reviews;
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

void Review::set_uid(std::uint64_t number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%012llx",
                static_cast<unsigned long long>(number & 0xffffffffffffULL));
  request.replace(uid_at + kUid.size() - kCounterDigits, kCounterDigits, digits, kCounterDigits);
}

std::string_view Review::uid() const {
  return std::string_view(request).substr(uid_at, kUid.size());
}

std::expected<std::vector<Review>, std::string> read_reviews(const std::string& path,
                                                             const std::string& hook) {
  try {
    std::vector<Review> reviews = make_all(Json::parse(std::ifstream(path)), hook);
    if (reviews.empty()) return std::unexpected(path + ": no review for the hook " + hook);
    return reviews;
  } catch (const Json::exception& error) {
    return std::unexpected(path + ": " + error.what());
  }
}

std::string fault_of(const Review& review, int status, std::string_view body) {
  const auto fault = [&](const std::string& what) {
    return review.name + ": " + what + ", got " + std::to_string(status) + " " +
           std::string(body.substr(0, 300));
  };
  if (status != 200) return fault("expected status 200");
  if (!holds(body, std::string("\"uid\":\"").append(review.uid()))) {
    return fault("expected uid " + std::string(review.uid()));
  }
  const std::string verdict = std::string("\"allowed\":") + (review.allowed ? "true" : "false");
  if (!holds(body, verdict)) return fault("expected " + verdict);
  if (review.patched && !holds(body, "\"patchType\":\"JSONPatch\"")) {
    return fault("expected a patch");
  }
  return {};
}

}  // namespace pgc::bench
