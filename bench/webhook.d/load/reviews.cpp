#include "bench/webhook.d/load/reviews.h"

#include <cctype>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/crd.h"
#include "shared/schema/structural/default.h"

namespace pgc::bench {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kUid = "00000000-0000-4000-8000-000000000000";
constexpr std::size_t kCounterDigits = 12;

// What is reviewed, and how its defaults are filled in.
struct Kind {
  std::string group, version, kind, resource;
  std::function<void(Json&)> apply_defaults;

  // As kubebuilder's tools name it: "db-example-com-v1-postgrescluster".
  std::string path() const {
    std::string text = group + "-" + version + "-" + kind;
    for (char& c : text) {
      c = c == '.' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
  }
};

Json envelope(const Kind& of, const std::string& operation, const Json& object, const Json& old) {
  const Json kind = {{"group", of.group}, {"version", of.version}, {"kind", of.kind}};
  const Json resource = {{"group", of.group}, {"version", of.version}, {"resource", of.resource}};
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

std::string over_the_wire(const std::string& path, const std::string& body) {
  return "POST /" + path + "?timeout=10s HTTP/1.1\r\n" +
         "Host: pgc-webhook.pgc-system.svc:443\r\nUser-Agent: kube-apiserver-admission\r\n" +
         "Content-Length: " + std::to_string(body.size()) +
         "\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\n\r\n" + body;
}

// The first version of a CRD.
Kind kind_of_crd(const schema::Crd& crd) {
  const schema::CrdVersion& version = crd.versions.at(0);
  return {crd.group, version.name, crd.kind, crd.plural,
          [schema = version.schema](Json& object) { schema::apply_defaults(schema, object); }};
}

std::expected<Kind, std::string> kind_of(const std::string& crd_file) {
  if (crd_file.empty()) {
    return Kind{"db.example.com", "v1", "PostgresCluster", "postgresclusters",
                [](Json& object) { schema::apply_defaults(object); }};
  }
  std::ifstream file(crd_file);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto crd = schema::parse_crd_yaml(text);
  if (!crd) return std::unexpected(crd_file + ": " + crd.error());
  return kind_of_crd(*crd);
}

Review make(const Kind& kind, const Json& described, const Json& objects) {
  const auto defaulted = [&](Json object) {
    kind.apply_defaults(object);
    return object;
  };
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
  review.request =
      over_the_wire(review.hook + "-" + kind.path(), envelope(kind, operation, object, old).dump());
  review.uid_at = review.request.find(kUid);
  return review;
}

std::vector<Review> make_all(const Kind& kind, const Json& file, const std::string& hook) {
  std::vector<Review> reviews;
  for (const Json& described : file.at("reviews")) {
    if (hook.empty() || described.at("hook") == hook) {
      reviews.push_back(make(kind, described, file.at("objects")));
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
                                                             const std::string& crd_file,
                                                             const std::string& hook) {
  const auto kind = kind_of(crd_file);
  if (!kind) return std::unexpected(kind.error());
  try {
    std::vector<Review> reviews = make_all(*kind, Json::parse(std::ifstream(path)), hook);
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
