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

struct ObjectRef;

// "Again": the same request may succeed later without anything being changed.
enum class ErrorKind {
  kConfiguration,  // our own configuration is unusable: kubeconfig, certificates, flags
  kUnreachable,    // no answer, and nothing was done: refused, no TLS, a read cut off. Again.
  kTimeout,       // no answer to a request that was sent, or 504: unknown what became of it. Again.
  kMalformed,     // the answer is not what the API promises. Again.
  kBadRequest,    // 400
  kUnauthorized,  // 401
  kForbidden,     // 403
  kNotFound,      // 404
  kAlreadyExists,       // 409, reason AlreadyExists
  kConflict,            // 409, any other: somebody else wrote in between. Again, after a look.
  kGone,                // 410: the resourceVersion or continue token is too old, list again
  kTooLarge,            // 413
  kInvalid,             // 422: causes say what
  kTooManyRequests,     // 429: not begun. Again, after retry_after.
  kServiceUnavailable,  // 503. Again, after retry_after.
  kServerError,         // other 5xx. Again.
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
  // A write that ended so may have been done, or be done yet: look before writing anything else.
  bool outcome_unknown() const;
  bool is(ErrorKind wanted) const { return kind == wanted; }
};

template <typename T>
using Result = std::expected<T, Error>;

// Error::reason of a server that can't be connected to, for those who have words of their own for
// it.
inline constexpr std::string_view kConnectionRefused = "ConnectionRefused";

// What the API server says of an object that is not there.
Error not_found_error(const ObjectRef& ref);

// Maps an HTTP status and the body of the answer (a metav1.Status, or anything) to an Error.
Error error_from_answer(int code, std::string_view body);

}  // namespace pgc::kube
