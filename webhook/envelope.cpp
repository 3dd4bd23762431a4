#include "webhook/envelope.h"

#include <algorithm>

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
  ReviewReader reader(kMaxReviewDepth);
  const bool complete = reader.read(body);
  Json& review = reader.review();
  if (!review.is_object()) return std::unexpected(Unreadable{"the body is no JSON object", {}, {}});
  const std::string api_version = text_at(review, "apiVersion");
  Json request = member(review, "request");
  const std::string uid = text_at(request, "uid");
  const auto unreadable = [&](std::string reason) {
    return std::unexpected(Unreadable{std::move(reason), api_version, uid});
  };
  if (reader.too_deep()) {
    return unreadable("the review is nested deeper than " + std::to_string(kMaxReviewDepth));
  }
  if (!complete) return unreadable("the body is no JSON");
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
