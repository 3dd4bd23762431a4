#include "shared/kube/retry.h"

#include <catch2/catch_test_macros.hpp>

#include "shared/kube/time.h"

namespace pgc::kube {
namespace {

using namespace std::chrono_literals;

TEST_CASE("Retry-After is a number of seconds or a date") {
  const auto now = parse_rfc3339("1994-11-06T08:49:37Z").value();
  CHECK(parse_retry_after("0", now) == 0s);
  CHECK(parse_retry_after("120", now) == 120s);
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now) == 0s);
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:51:00 GMT", now) == 83s);
  CHECK(parse_retry_after("Sun, 06 Nov 1993 08:51:00 GMT", now) == 0s);
  for (const char* rubbish :
       {"", "-1", "1.5", "soon", "99999999999999999999", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 06 anF 1994 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT"}) {
    CAPTURE(rubbish);
    CHECK_FALSE(parse_retry_after(rubbish, now));
  }
}

Error refusal(int code, std::optional<std::chrono::seconds> after) {
  Error error = error_from_answer(code, "");
  error.retry_after = after;
  return error;
}

TEST_CASE("what was not begun is repeated when the server says, what may be done is not") {
  const Attempt read{.method = "GET", .left = 30s};
  const Attempt write{.method = "POST", .left = 30s};
  CHECK(repeat_after(refusal(429, 2s), write) == 2s);
  CHECK(repeat_after(refusal(429, 2s), read) == 2s);
  CHECK(repeat_after(refusal(503, 1s), read) == 1s);
  CHECK_FALSE(repeat_after(refusal(503, 1s), write));
  CHECK_FALSE(repeat_after(refusal(429, {}), read));
  CHECK_FALSE(repeat_after(refusal(409, 1s), read));
  CHECK_FALSE(repeat_after(refusal(429, 6s), read));  // longer than a thread is held
  CHECK_FALSE(repeat_after(refusal(429, 2s), {.method = "GET", .left = 2s}));
  CHECK_FALSE(repeat_after(refusal(429, 0s), {.method = "GET", .number = 5, .left = 30s}));
  CHECK_FALSE(repeat_after(refusal(429, 0s), {.method = "GET", .left = 30s, .patient = false}));
}

TEST_CASE("a read that was lost on a used connection is repeated at once, and nothing else") {
  const Error lost{.kind = ErrorKind::kUnreachable};
  const Attempt used{.method = "GET", .left = 30s, .on_used_connection = true};
  CHECK(repeat_after(lost, used) == 0s);
  CHECK_FALSE(repeat_after(lost, {.method = "GET", .left = 30s}));
  CHECK_FALSE(repeat_after(lost, {.method = "PUT", .left = 30s, .on_used_connection = true}));
  CHECK_FALSE(repeat_after(Error{.kind = ErrorKind::kTimeout}, used));
  CHECK_FALSE(repeat_after(Error{.kind = ErrorKind::kConfiguration}, used));
}

}  // namespace
}  // namespace pgc::kube
