#include "shared/schema/quantity.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <vector>

namespace pgc::schema {
namespace {

__extension__ typedef __int128 Int128;

constexpr Int128 kNano = 1'000'000'000;
constexpr Int128 kMaxNanos = Int128{std::numeric_limits<std::int64_t>::max()} * kNano;
constexpr std::size_t kMaxText = 512;
constexpr long kFar = 100'000;  // an exponent of ten that is out of any range

constexpr std::string_view kExpected =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

struct Suffix {
  std::string_view text;
  int base;  // 2 or 10
  int power;
};

constexpr std::array<Suffix, 16> kSuffixes = {{{"n", 10, -9},
                                               {"u", 10, -6},
                                               {"m", 10, -3},
                                               {"", 10, 0},
                                               {"k", 10, 3},
                                               {"M", 10, 6},
                                               {"G", 10, 9},
                                               {"T", 10, 12},
                                               {"P", 10, 15},
                                               {"E", 10, 18},
                                               {"Ki", 2, 10},
                                               {"Mi", 2, 20},
                                               {"Gi", 2, 30},
                                               {"Ti", 2, 40},
                                               {"Pi", 2, 50},
                                               {"Ei", 2, 60}}};

const Suffix* find_suffix(std::string_view text) {
  const auto found = std::find_if(kSuffixes.begin(), kSuffixes.end(),
                                  [&](const Suffix& suffix) { return suffix.text == text; });
  return found == kSuffixes.end() ? nullptr : &*found;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

// The exponent of `e3` or `E-6`; nothing if the text is none.
std::optional<long> parse_exponent(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = take_sign(text);
  const std::string_view digits = take_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  long exponent = 0;
  for (char c : digits) exponent = std::min(exponent * 10 + (c - '0'), kFar);
  return negative ? -exponent : exponent;
}

// A positive decimal number of any length: digits, most significant first, the point after `point`
// of them.
struct Decimal {
  std::vector<int> digits;
  long point = 0;

  void double_it() {
    int carry = 0;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      const int twice = *digit * 2 + carry;
      *digit = twice % 10;
      carry = twice / 10;
    }
    if (carry == 0) return;
    digits.insert(digits.begin(), carry);
    ++point;
  }

  // The next whole number, `limit` at most.
  Int128 rounded_up(Int128 limit) const {
    Int128 whole = 0;
    for (long i = 0; i < point; ++i) {
      const bool has_digit = static_cast<std::size_t>(i) < digits.size();
      whole = whole * 10 + (has_digit ? digits[static_cast<std::size_t>(i)] : 0);
      if (whole >= limit) return limit;
      if (!has_digit && whole == 0) return 0;
    }
    const auto fraction = digits.begin() + std::clamp(point, 0L, static_cast<long>(digits.size()));
    const bool rest = std::any_of(fraction, digits.end(), [](int digit) { return digit != 0; });
    return rest ? whole + 1 : whole;
  }
};

Decimal make_decimal(std::string_view whole, std::string_view fraction) {
  Decimal decimal;
  for (char c : whole) decimal.digits.push_back(c - '0');
  for (char c : fraction) decimal.digits.push_back(c - '0');
  decimal.point = static_cast<long>(whole.size());
  return decimal;
}

Int128 exact_amount(std::string_view whole, std::string_view fraction, const Suffix* suffix,
                    long exponent) {
  Decimal amount = make_decimal(whole, fraction);
  if (suffix == nullptr) {
    amount.point += exponent;
  } else if (suffix->base == 10) {
    amount.point += suffix->power;
  } else {
    for (int i = 0; i < suffix->power; ++i) amount.double_it();
  }
  amount.point += 9;
  return amount.rounded_up(kMaxNanos);
}

Int128 divide_up(Int128 number, Int128 divisor) {
  const Int128 sign = number < 0 ? -1 : 1;
  return sign * ((number * sign + divisor - 1) / divisor);
}

// Most amounts are few digits with a suffix that makes more of them; nothing of the others.
std::optional<Int128> small_amount(std::string_view whole, std::string_view fraction,
                                   const Suffix& suffix) {
  constexpr std::size_t kFew = 9;  // 10^9 * 2^60 * 10^9 is in range
  if (!fraction.empty() || whole.size() > kFew || suffix.power < 0) return std::nullopt;
  Int128 amount = 0;
  for (char c : whole) amount = amount * 10 + (c - '0');
  if (suffix.base == 2) return (amount << suffix.power) * kNano;
  for (int i = 0; i < suffix.power; ++i) amount *= 10;
  return amount * kNano;
}

std::string digits_of(Int128 number) {
  if (number < 0) return "-" + digits_of(-number);
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(number % 10)));
    number /= 10;
  } while (number != 0);
  return text;
}

std::string suffix_for(int base, int power) {
  const auto found = std::find_if(kSuffixes.begin(), kSuffixes.end(), [&](const Suffix& suffix) {
    return suffix.power == power && (suffix.base == base || power == 0);
  });
  return std::string(found->text);
}

}  // namespace

std::expected<Quantity, std::string> Quantity::parse(std::string_view text) {
  if (text.size() > kMaxText) return std::unexpected(std::string(kExpected));
  const bool negative = take_sign(text);
  const std::string_view whole = take_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
  }
  if (whole.empty() && fraction.empty()) return std::unexpected(std::string(kExpected));

  const Suffix* suffix = find_suffix(text);
  const auto exponent = parse_exponent(text);
  if (suffix == nullptr && !exponent) return std::unexpected(std::string(kExpected));

  Quantity result;
  if (suffix == nullptr) {
    result.format_ = Format::kExponent;
  } else if (suffix->base == 2) {
    result.format_ = Format::kBinary;
  }
  const auto small = suffix == nullptr ? std::nullopt : small_amount(whole, fraction, *suffix);
  result.nanos_ = small ? std::min(*small, kMaxNanos)
                        : exact_amount(whole, fraction, suffix, exponent.value_or(0));
  // Kubernetes writes an amount below one without a binary suffix.
  if (result.format_ == Format::kBinary && result.nanos_ < kNano) result.format_ = Format::kDecimal;
  if (negative) result.nanos_ = -result.nanos_;
  return result;
}

Quantity Quantity::of(std::int64_t whole, Format format) {
  Quantity result;
  result.nanos_ = Int128{whole} * kNano;
  result.format_ = format;
  return result;
}

std::int64_t Quantity::value() const {
  return static_cast<std::int64_t>(divide_up(nanos_, kNano));
}

std::string Quantity::to_string() const {
  if (nanos_ == 0) return "0";
  const bool below_a_kibi = nanos_ > -1024 * kNano && nanos_ < 1024 * kNano;
  if (format_ == Format::kBinary && !below_a_kibi) {
    Int128 number = divide_up(nanos_, kNano);
    int power = 0;
    for (; number % 1024 == 0 && power < 60; power += 10) number /= 1024;
    return digits_of(number) + suffix_for(2, power);
  }
  Int128 number = nanos_;
  int power = -9;
  for (; number % 1000 == 0 && power < 18; power += 3) number /= 1000;
  if (format_ != Format::kExponent) return digits_of(number) + suffix_for(10, power);
  return digits_of(number) + (power == 0 ? "" : "e" + std::to_string(power));
}

}  // namespace pgc::schema
