// Requests made up for a resource.
#pragma once

#include <cstdint>
#include <string>

#include "tests/agreement/resource.h"
#include "tests/agreement/verdict.h"
#include "tests/support/generate.h"

namespace pgc::agreement {

struct Made {
  Request request;
  std::string kind;   // "valid", "nearly valid", "hostile", "duplicate field", "update"
  std::string slips;  // what was done to it
};

class RequestMaker {
 public:
  RequestMaker(const Resource& resource, std::uint64_t seed);

  Made next();

 private:
  Made create();
  Made change();

  const Resource& resource_;
  test::Random random_;
  test::Generator generator_;
};

// The text of an object as JSON; broken UTF-8 goes as it is.
std::string text_of(const Json& object);
// The merge patch (RFC 7396) that makes `to` of `from`.
Json merge_patch_of(const Json& from, const Json& to);

}  // namespace pgc::agreement
