#include "shared/x509/base64.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::x509 {
namespace {

TEST_CASE("Base64 goes there and back for every length of padding") {
  // The vectors of RFC 4648, section 10.
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [bytes, text] : cases) {
    CHECK(to_base64(bytes) == text);
    CHECK(from_base64(text) == bytes);
  }
}

TEST_CASE("zero bytes survive Base64") {
  const std::string bytes("\0a\0\0", 4);
  CHECK(from_base64(to_base64(bytes)) == bytes);
}

TEST_CASE("what is no Base64 decodes to nothing") {
  for (const char* text : {"Zg", "Z", "Zg=a", "Zm9*"}) CHECK_FALSE(from_base64(text));
}

}  // namespace
}  // namespace pgc::x509
