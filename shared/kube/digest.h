// A number that is the same for equal documents, and different for different ones but for once in
// 2^64: to see whether something has changed without keeping what was. Not against an adversary,
// and of this run of the program alone: std::hash is another one elsewhere.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "shared/kube/object.h"

namespace pgc::kube {

class Digest {
 public:
  void add_text(std::string_view text);
  void add(const Json& value);
  // A document's members, in the order of their names, but for these.
  void add_without(const Json& document, std::initializer_list<std::string_view> names);

  std::uint64_t value() const { return hash_; }

 private:
  static constexpr std::uint64_t kEnd = 0xff;  // of a list or of members; no type has this number

  // Another order is another number.
  void mix(std::uint64_t number) {
    hash_ = std::rotl(hash_ ^ number, 29) * 0x9e3779b97f4a7c15ULL;  // 2^64 divided by phi, odd
  }

  std::uint64_t hash_ = 0;
};

// Of all that is not bookkeeping of the API server, which every write changes: resourceVersion and
// managedFields.
std::uint64_t digest_of(const Object& object);

}  // namespace pgc::kube
