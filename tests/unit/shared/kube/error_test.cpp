#include "shared/kube/error.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace pgc::kube {
namespace {

std::string status(const std::string& reason) {
  return R"({"kind": "Status", "message": "no", "reason": ")" + reason + R"("})";
}

struct Case {
  int code;
  const char* reason;
  ErrorKind kind;
  bool retryable;
};

TEST_CASE("the kind of an error follows code and reason, and says whether to try again") {
  for (const Case& c : {
           Case{400, "BadRequest", ErrorKind::kBadRequest, false},
           Case{401, "Unauthorized", ErrorKind::kUnauthorized, false},
           Case{403, "Forbidden", ErrorKind::kForbidden, false},
           Case{404, "NotFound", ErrorKind::kNotFound, false},
           Case{409, "AlreadyExists", ErrorKind::kAlreadyExists, false},
           Case{409, "Conflict", ErrorKind::kConflict, true},
           Case{409, "", ErrorKind::kConflict, true},
           Case{410, "Expired", ErrorKind::kGone, true},
           Case{422, "Invalid", ErrorKind::kInvalid, false},
           Case{429, "TooManyRequests", ErrorKind::kTooManyRequests, true},
           Case{500, "InternalError", ErrorKind::kServerError, true},
           Case{500, "ServerTimeout", ErrorKind::kTimeout, true},
           Case{502, "", ErrorKind::kServerError, true},
           Case{503, "ServiceUnavailable", ErrorKind::kServiceUnavailable, true},
           Case{504, "Timeout", ErrorKind::kTimeout, true},
           Case{504, "", ErrorKind::kTimeout, true},
           Case{500, "Expired", ErrorKind::kGone, true},
           Case{410, "Gone", ErrorKind::kGone, true},
           Case{413, "RequestEntityTooLarge", ErrorKind::kTooLarge, false},
           Case{302, "", ErrorKind::kOther, false},
           Case{418, "", ErrorKind::kOther, false},
       }) {
    CAPTURE(c.code, c.reason);
    const Error error = error_from_answer(c.code, status(c.reason));
    CHECK(error.kind == c.kind);
    CHECK(error.retryable() == c.retryable);
    CHECK(error.code == c.code);
    CHECK(error.reason == c.reason);
    CHECK(error.message == "no");
  }
}

TEST_CASE("an error says whether a write may have been done") {
  for (const int code : {500, 502, 503, 504}) {
    CHECK(error_from_answer(code, "").outcome_unknown());
  }
  for (const int code : {400, 401, 403, 404, 409, 410, 413, 422, 429}) {
    CHECK_FALSE(error_from_answer(code, "").outcome_unknown());
  }
  CHECK_FALSE(Error{.kind = ErrorKind::kUnreachable}.outcome_unknown());
  CHECK(Error{.kind = ErrorKind::kTimeout}.outcome_unknown());
}

TEST_CASE("causes and the time to wait come with the error") {
  const Error error = error_from_answer(422, R"({
    "kind": "Status", "reason": "Invalid", "message": "PostgresCluster \"my-db\" is invalid",
    "details": {"retryAfterSeconds": 3, "causes": [
      {"field": "spec.replicas", "message": "must be at least 1", "reason": "FieldValueInvalid"},
      {"message": "no field"}, 7]}})");
  CHECK(error.retry_after == std::chrono::seconds(3));
  REQUIRE(error.causes.size() == 3);
  CHECK(error.causes[0].field == "spec.replicas");
  CHECK(error.causes[0].message == "must be at least 1");
  CHECK(error.causes[1].field.empty());
}

TEST_CASE("an answer that is no Status still gives one line for people") {
  CHECK(error_from_answer(502, "").message == "the server answered 502: ");
  CHECK(error_from_answer(502, "<html>\n<body>").message == "the server answered 502: <html>");
  CHECK(error_from_answer(502, R"({"kind": "Pod", "message": "x"})").kind ==
        ErrorKind::kServerError);
  const Error hostile = error_from_answer(
      403, R"({"kind": "Status", "reason": 7, "message": [], "details": {"causes": {}}})");
  CHECK(hostile.kind == ErrorKind::kForbidden);
  CHECK(hostile.causes.empty());
}

// The message goes on into conditions and events, which must be valid JSON.
TEST_CASE("whatever a proxy answers, the message is short and valid UTF-8") {
  const std::string umlauts = [] {
    std::string text = "x";
    while (text.size() < 300) text += "\xc3\xbc";
    return text;
  }();
  for (const std::string& body : {std::string("caf\xe9"), umlauts, std::string(300, '\xff')}) {
    const Error error = error_from_answer(403, body);
    CHECK(error.message.size() < 1000);
    CHECK_NOTHROW(nlohmann::json(error.message).dump());
  }
}

}  // namespace
}  // namespace pgc::kube
