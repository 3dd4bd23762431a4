// A number that is the same for equal documents, and different for different ones but for once in
// 2^64: to see whether something has changed without keeping what was. Not against an adversary.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "shared/kube/object.h"

namespace pgc::kube {

// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), over the values in their order.
class Digest {
 public:
  void add_text(std::string_view text);
  void add(const Json& value);
  // A document's members, in the order of their names, but for these.
  void add_without(const Json& document, std::initializer_list<std::string_view> names);

  std::uint64_t value() const { return hash_; }

 private:
  void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3ULL; }

  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

// Of all that is not bookkeeping of the API server, which every write changes: resourceVersion and
// managedFields.
std::uint64_t digest_of(const Object& object);

}  // namespace pgc::kube
