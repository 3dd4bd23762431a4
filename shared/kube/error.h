// What can go wrong between us and the API server, as a value.
//
// The kinds follow the `reason` of metav1.Status; decide by kind, never by message
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#api-errors).
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgc::kube {

enum class ErrorKind {
  kConfiguration,    // our own configuration is unusable: kubeconfig, certificates, flags
  kUnreachable,      // no answer: connection refused, TLS failed, connection lost
  kTimeout,          // no answer in time; a write may or may not have happened
  kMalformed,        // the answer is not what the API promises
  kBadRequest,       // 400
  kUnauthorized,     // 401
  kForbidden,        // 403
  kNotFound,         // 404
  kAlreadyExists,    // 409, reason AlreadyExists
  kConflict,         // 409, any other: somebody else wrote in between
  kGone,             // 410: the resourceVersion is too old, list again
  kInvalid,          // 422
  kTooManyRequests,  // 429
  kServerError,      // 5xx
  kOther,
};

struct Cause {
  std::string field;    // "spec.replicas"
  std::string message;  // the text without the path
};

struct Error {
  ErrorKind kind = ErrorKind::kOther;
  std::string message = {};  // one line for people; holds no secret
  int code = 0;              // HTTP status; 0 where there was no answer
  std::string reason = {};   // metav1.Status.reason as it came
  std::vector<Cause> causes = {};
  std::optional<std::chrono::seconds> retry_after = {};

  // The same request may succeed later without anything being changed.
  bool retryable() const;
  bool is(ErrorKind wanted) const { return kind == wanted; }
};

template <typename T>
using Result = std::expected<T, Error>;

// Maps an HTTP status and the body of the answer (a metav1.Status, or anything) to an Error.
Error error_from_answer(int code, std::string_view body);

}  // namespace pgc::kube
