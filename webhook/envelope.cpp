#include "webhook/envelope.h"

#include <algorithm>

#include "shared/json/reader.h"
#include "shared/x509/base64.h"
#include "webhook/review.h"
#include "webhook/review_reader.h"

namespace pgc::webhook {

namespace {

constexpr std::string_view kReviewKind = "AdmissionReview";

bool is_known_version(const std::string& api_version) {
  return api_version == "admission.k8s.io/v1" || api_version == "admission.k8s.io/v1beta1";
}

// Empty where `object` is none, or has no such text.
std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Json member(Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() ? std::move(*found) : Json();
}

std::string kind_of(Json& request) {
  const Json kind = member(request, "kind");
  if (!kind.is_object()) return "no kind";
  return text_at(kind, "group") + "/" + text_at(kind, "version") + " " + text_at(kind, "kind");
}

// Who asks, with which options, and who manages which field is most of a review and nothing to us.
const json::Shape& shape_of_review() {
  const auto only = [](std::vector<json::Member> members) {
    return json::Shape{.others = false, .members = std::move(members)};
  };
  static const json::Shape object{
      .members = {{"metadata", true, {.members = {{"managedFields", false}}}}}};
  static const json::Shape request = only({{"uid"},
                                           {"kind"},
                                           {"operation"},
                                           {"namespace"},
                                           {"name"},
                                           {"object", true, object},
                                           {"oldObject", true, object}});
  static const json::Shape review = only({{"apiVersion"}, {"kind"}, {"request", true, request}});
  return review;
}

// `flaw`: what was wrong with the text, of which `review` is what could be read; empty: nothing.
std::expected<Request, Unreadable> request_of(Json& review, std::string flaw) {
  if (!review.is_object()) return std::unexpected(Unreadable{"the body is no JSON object", {}, {}});
  const std::string api_version = text_at(review, "apiVersion");
  Json request = member(review, "request");
  const std::string uid = text_at(request, "uid");
  const auto unreadable = [&](std::string reason) {
    return std::unexpected(Unreadable{std::move(reason), api_version, uid});
  };
  if (!flaw.empty()) return unreadable(std::move(flaw));
  if (text_at(review, "kind") != kReviewKind || !is_known_version(api_version)) {
    return unreadable("the body is no AdmissionReview of admission.k8s.io/v1");
  }
  if (!request.is_object()) return unreadable("the AdmissionReview has no request");
  if (uid.empty()) return unreadable("the request has no uid");
  return Request{.api_version = api_version,
                 .uid = uid,
                 .operation = text_at(request, "operation"),
                 .kind = kind_of(request),
                 .ns = text_at(request, "namespace"),
                 .name = text_at(request, "name"),
                 .object = member(request, "object"),
                 .old_object = member(request, "oldObject")};
}

// Warnings travel as HTTP headers: no control characters, and the server cuts long ones.
std::string as_warning(std::string text) {
  constexpr std::size_t kLongest = 256;
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole UTF-8
  return text.substr(0, end) + "...";
}

}  // namespace

std::expected<Request, Unreadable> read_request(std::string_view body) {
  if (body.empty()) return std::unexpected(Unreadable{"request body is empty", {}, {}});
  if (auto review = json::Reader(kMaxReviewDepth).read(body, shape_of_review())) {
    return request_of(*review, "");
  }
  ReviewReader thorough(kMaxReviewDepth, shape_of_review());
  const bool complete = thorough.read(body);
  std::string flaw = complete ? "" : "the body is no JSON";
  if (thorough.too_deep()) {
    flaw = "the review is nested deeper than " + std::to_string(kMaxReviewDepth);
  }
  return request_of(thorough.review(), std::move(flaw));
}

std::string write_answer(const Request& request, const Decision& decision) {
  Json response{{"uid", request.uid}, {"allowed", decision.allowed}};
  if (!decision.allowed) response["status"] = decision.status;
  // An empty patch with a type, or a type without a patch, would make the whole answer invalid.
  if (decision.allowed && !decision.patch.empty()) {
    response["patchType"] = "JSONPatch";
    response["patch"] = x509::to_base64(decision.patch.dump());
  }
  for (const std::string& warning : decision.warnings) {
    response["warnings"].push_back(as_warning(warning));
  }
  const Json review{{"apiVersion", request.api_version},
                    {"kind", kReviewKind},
                    {"response", std::move(response)}};
  return review.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Decision refuse(int code, std::string_view reason, std::string message) {
  return {.allowed = false,
          .patch = Json::array(),
          .status = {{"status", "Failure"},
                     {"code", code},
                     {"reason", reason},
                     {"message", std::move(message)}},
          .warnings = {}};
}

}  // namespace pgc::webhook
