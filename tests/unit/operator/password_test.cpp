#include "operator/password.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

namespace pgc {
namespace {

TEST_CASE("a password is 32 letters and digits, and never the same") {
  std::set<std::string> made;
  std::set<char> used;
  for (int i = 0; i < 200; ++i) {
    const std::string password = make_password().value();
    CHECK(password.size() == 32);
    CHECK(password.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789") == std::string::npos);
    made.insert(password);
    used.insert(password.begin(), password.end());
  }
  CHECK(made.size() == 200);
  CHECK(used.size() == 62);  // of 6,400 draws each character comes up but once in 10^43 tests
}

}  // namespace
}  // namespace pgc
