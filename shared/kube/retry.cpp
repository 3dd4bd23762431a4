#include "shared/kube/retry.h"

#include <array>
#include <charconv>

namespace pgc::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMostAttempts = 5;
// Whoever is told to wait for longer has better things to do than to hold a thread.
constexpr seconds kLongestWait{5};

std::optional<int> number_of(std::string_view digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) {
    return std::nullopt;
  }
  return number;
}

std::optional<unsigned> month_of(std::string_view name) {
  constexpr std::string_view kNames = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto at = kNames.find(name);
  if (name.size() != 3 || at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  return static_cast<unsigned>(at / 3 + 1);
}

// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that is still sent (RFC 9110, 5.6.7).
std::optional<std::chrono::sys_seconds> http_date(std::string_view text) {
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  const auto day = number_of(text.substr(5, 2));
  const auto month = month_of(text.substr(8, 3));
  const auto year = number_of(text.substr(12, 4));
  const auto hour = number_of(text.substr(17, 2));
  const auto minute = number_of(text.substr(20, 2));
  const auto second = number_of(text.substr(23, 2));
  if (!day || !month || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         seconds(*second);
}

bool server_says_later(const Error& error, bool read) {
  if (!error.retry_after) return false;
  return error.code == 429 || (read && error.code >= 500);
}

}  // namespace

std::optional<seconds> parse_retry_after(std::string_view header, std::chrono::sys_seconds now) {
  if (const auto count = number_of(header)) return seconds(*count);
  const auto date = http_date(header);
  if (!date) return std::nullopt;
  return std::max(seconds(0), *date - now);
}

std::optional<milliseconds> repeat_after(const Error& error, const Attempt& attempt) {
  const bool read = attempt.method == "GET";
  if (attempt.number >= kMostAttempts) return std::nullopt;
  if (server_says_later(error, read)) {
    if (!attempt.patient) return std::nullopt;
    const bool too_long = *error.retry_after > kLongestWait || *error.retry_after >= attempt.left;
    return too_long ? std::nullopt : std::optional<milliseconds>(*error.retry_after);
  }
  const bool lost = error.code == 0 && error.is(ErrorKind::kUnreachable);
  if (read && lost && attempt.on_used_connection) return milliseconds(0);
  return std::nullopt;
}

}  // namespace pgc::kube
