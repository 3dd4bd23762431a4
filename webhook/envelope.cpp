#include "webhook/envelope.h"

#include <algorithm>

#include "shared/x509/base64.h"
#include "webhook/review.h"

namespace pgc::webhook {

namespace {

constexpr std::string_view kReviewKind = "AdmissionReview";

// Brackets outside of strings, counted before anything is built from the text. A text that is no
// JSON may give any number here; the parser refuses it afterwards.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > kMaxReviewDepth) return true;
  }
  return false;
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Json member(Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() ? std::move(*found) : Json();
}

std::string kind_of(Json request) {
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

std::expected<Request, std::string> read_request(std::string_view body) {
  if (body.empty())
    return std::unexpected("the request has no body; an AdmissionReview is expected");
  if (too_deep(body)) {
    return std::unexpected("the document is nested deeper than " + std::to_string(kMaxReviewDepth));
  }
  Json review = Json::parse(body, nullptr, false);
  if (!review.is_object()) return std::unexpected("the body is no JSON object");
  const std::string api_version = text_at(review, "apiVersion");
  if (text_at(review, "kind") != kReviewKind ||
      (api_version != "admission.k8s.io/v1" && api_version != "admission.k8s.io/v1beta1")) {
    return std::unexpected("the body is no AdmissionReview of admission.k8s.io/v1");
  }
  Json request = member(review, "request");
  if (!request.is_object()) return std::unexpected("the AdmissionReview has no request");
  const std::string uid = text_at(request, "uid");
  if (uid.empty()) return std::unexpected("the request has no uid");
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
  const Json review{
      {"apiVersion", request.api_version}, {"kind", kReviewKind}, {"response", response}};
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
