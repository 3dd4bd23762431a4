// X.509 as pgc needs it: a certificate authority of its own, leaf certificates issued by it, and
// the questions one asks about certificates that somebody else wrote.
//
// Certificates and keys go in and out as PEM texts; keys are ECDSA P-256 in PKCS #8. Nothing here
// reads a clock or a file: the time is an argument, and so are serial numbers, so that tests decide
// both. (The key itself comes from OpenSSL's random generator.) No state is shared: every function
// may be called from any thread. Errors are one line for people and never quote a key.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace pgc::x509 {

using Time = std::chrono::sys_seconds;

template <typename T>
using Result = std::expected<T, std::string>;

// Big-endian and positive; RFC 5280 (4.1.2.2) allows up to 20 bytes.
using Serial = std::array<std::uint8_t, 16>;
Serial random_serial();

struct Validity {
  Time not_before;
  Time not_after;
  bool operator==(const Validity&) const = default;
};

// The first moment of the last third of a certificate's life: from here on it is due for renewal.
Time renewal_time(const Validity& validity);

// A certificate with its private key. Never print it.
struct Pair {
  std::string certificate;
  std::string key;
};

Result<Pair> make_ca(const std::string& common_name, const Validity& validity,
                     const Serial& serial);

enum class Usage { kServer, kClient, kServerAndClient };

struct LeafRequest {
  std::string common_name;  // for people and for PostgreSQL's `cert` method; at most 64 characters
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  Validity validity;
  Usage usage = Usage::kServer;
};

Result<Pair> issue_leaf(const Pair& ca, const LeafRequest& request, const Serial& serial);

// What a certificate says about itself.
struct Certificate {
  std::string serial;  // lower-case hexadecimal, no separators, no leading zeros
  std::string common_name;
  Validity validity;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  bool is_ca = false;
};

// Describes the first certificate of a PEM text.
Result<Certificate> parse(std::string_view pem);

// Every certificate of a PEM text as a PEM text of its own, in order, without what stands between
// them. So two bundles can be compared and joined. A text without any gives an empty list.
Result<std::vector<std::string>> split(std::string_view pem);

// The key belongs to the first certificate of `certificate`.
Result<void> verify_pair(const Pair& pair);

// The first certificate of `chain` leads, over the others, to one in `roots`, at that time, for
// that usage. `name`, unless empty, must be among its DNS names.
Result<void> verify_chain(std::string_view chain, std::string_view roots, const std::string& name,
                          Usage usage, Time now);

}  // namespace pgc::x509
