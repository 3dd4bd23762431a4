#include "shared/kube/error.h"

#include <nlohmann/json.hpp>

#include "shared/kube/object.h"

namespace pgc::kube {
namespace {

ErrorKind kind_of(int code, std::string_view reason) {
  if (reason == "Expired" || reason == "Gone") return ErrorKind::kGone;
  if (reason == "Timeout" || reason == "ServerTimeout") return ErrorKind::kTimeout;
  switch (code) {
    case 400:
      return ErrorKind::kBadRequest;
    case 401:
      return ErrorKind::kUnauthorized;
    case 403:
      return ErrorKind::kForbidden;
    case 404:
      return ErrorKind::kNotFound;
    case 409:
      return reason == "AlreadyExists" ? ErrorKind::kAlreadyExists : ErrorKind::kConflict;
    case 410:
      return ErrorKind::kGone;
    case 413:
      return ErrorKind::kTooLarge;
    case 422:
      return ErrorKind::kInvalid;
    case 429:
      return ErrorKind::kTooManyRequests;
    case 503:
      return ErrorKind::kServiceUnavailable;
    case 504:
      return ErrorKind::kTimeout;
    default:
      return code >= 500 ? ErrorKind::kServerError : ErrorKind::kOther;
  }
}

std::vector<Cause> causes_of(const Json& status) {
  std::vector<Cause> causes;
  const Json* list = find_at(status, {"details", "causes"});
  if (list == nullptr || !list->is_array()) return causes;
  for (const Json& cause : *list) {
    causes.push_back(
        {std::string(string_at(cause, {"field"})), std::string(string_at(cause, {"message"}))});
  }
  return causes;
}

// A proxy in between may answer with a page of HTML: its first line is enough. In whatever encoding
// it comes, the message goes on into JSON: what is no UTF-8 is replaced.
std::string first_line(std::string_view body) {
  constexpr std::size_t kLongest = 200;
  const Json line = body.substr(0, std::min(body.find_first_of("\r\n"), kLongest));
  return Json::parse(line.dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace

bool Error::retryable() const {
  switch (kind) {
    case ErrorKind::kUnreachable:
    case ErrorKind::kTimeout:
    case ErrorKind::kMalformed:
    case ErrorKind::kConflict:
    case ErrorKind::kGone:
    case ErrorKind::kTooManyRequests:
    case ErrorKind::kServiceUnavailable:
    case ErrorKind::kServerError:
      return true;
    default:
      return false;
  }
}

bool Error::outcome_unknown() const {
  switch (kind) {
    case ErrorKind::kTimeout:
    case ErrorKind::kMalformed:
    case ErrorKind::kServiceUnavailable:
    case ErrorKind::kServerError:
      return true;
    default:
      return false;
  }
}

Error not_found_error(const ObjectRef& ref) {
  return {.kind = ErrorKind::kNotFound,
          .message = ref.to_string() + " not found",
          .code = 404,
          .reason = "NotFound"};
}

Error error_from_answer(int code, std::string_view body) {
  Error error{.code = code};
  const Json status = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (string_at(status, {"kind"}) == "Status") {
    error.reason = string_at(status, {"reason"});
    error.message = string_at(status, {"message"});
    error.causes = causes_of(status);
    if (auto seconds = int_at(status, {"details", "retryAfterSeconds"}); seconds > 0) {
      error.retry_after = std::chrono::seconds(seconds);
    }
  }
  error.kind = kind_of(code, error.reason);
  if (error.message.empty()) {
    error.message = "the server answered " + std::to_string(code) + ": " + first_line(body);
  }
  return error;
}

}  // namespace pgc::kube
