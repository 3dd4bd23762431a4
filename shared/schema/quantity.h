// An amount as Kubernetes writes it: 10Gi, 500m, 1e3 (k8s.io/apimachinery resource.Quantity).
//
// Exact: a whole number of billionths, no floating point. What is finer is rounded away from zero,
// what is larger than 2^63-1 becomes that, both as in Kubernetes.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace pgc::schema {

class Quantity {
 public:
  enum class Format { kBinary, kDecimal, kExponent };

  Quantity() = default;  // zero
  // The error says what is expected, in Kubernetes' words.
  static std::expected<Quantity, std::string> parse(std::string_view text);
  static Quantity of(std::int64_t whole, Format format = Format::kDecimal);

  // The form Kubernetes stores: the largest suffix that leaves a whole number; 1.5Gi is 1536Mi.
  std::string to_string() const;
  // Whole units, rounded away from zero.
  std::int64_t value() const;

  // By amount alone: 1Ki equals 1024.
  std::strong_ordering operator<=>(const Quantity& other) const { return nanos_ <=> other.nanos_; }
  bool operator==(const Quantity& other) const { return nanos_ == other.nanos_; }

 private:
  __extension__ typedef __int128 Nanos;
  Nanos nanos_ = 0;
  Format format_ = Format::kDecimal;
};

}  // namespace pgc::schema
