// The body of a request → the answer of the webhook, for both hooks.
#include <nlohmann/json.hpp>

#include "tests/fuzz/answer.h"
#include "tests/fuzz/property.h"

namespace {

using namespace pgc;

void check(webhook::Hook hook, std::string_view body) {
  const auto answer = webhook::review(hook, body);
  if (!answer) return fuzz::must(!answer.error().empty(), "what is not understood is said", body);
  const auto asked = nlohmann::json::parse(body, nullptr, false);
  if (asked.is_object()) {
    fuzz::checked_response(hook, asked, *answer);
  } else {  // broken behind its uid
    fuzz::must(!answer->allowed, "what is no JSON is refused", answer->body);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(webhook::Hook::kMutate, fuzz::as_text(data, size));
  check(webhook::Hook::kValidate, fuzz::as_text(data, size));
  return 0;
}
