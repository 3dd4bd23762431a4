// What the client repeats by itself. Pure: time is an argument.
//
// Only what cannot have been done, and what does nothing when it is done twice, as client-go does
// it:
//   - a request that the server refused with 429: it was not begun;
//   - a read that the server refused with 5xx and Retry-After;
//   - a read on a connection that was idle before and that the server has closed meanwhile.
// All else is the caller's to decide, who looks at Error::retryable() and outcome_unknown().
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "shared/kube/error.h"

namespace pgc::kube {

// The value of a header Retry-After: seconds, or a date as HTTP writes it ("Sun, 06 Nov 1994
// 08:49:37 GMT"). Never negative; nothing where it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view header,
                                                      std::chrono::sys_seconds now);

struct Attempt {
  std::string_view method;           // "GET", "POST", …
  int number = 1;                    // counted from 1
  std::chrono::milliseconds left{};  // until the call's deadline
  bool on_used_connection = false;   // it has carried an answer before
  bool patient = true;  // false: what the server puts off is the caller's, as with Leases
};

// How long to wait before the same request is sent again; nothing: it is not.
std::optional<std::chrono::milliseconds> repeat_after(const Error& error, const Attempt& attempt);

}  // namespace pgc::kube
