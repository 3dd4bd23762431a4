// What the build itself promises to the code: embedded files arrive byte for byte, and the binary
// knows its version.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "embedded/embed_sample.h"
#include "pgc_version.h"

TEST_CASE("pgc_embed keeps every byte of the file") {
  std::ifstream file(PGC_SOURCE_DIR "/tests/unit/cmake/embedded.txt", std::ios::binary);
  const std::string wanted{std::istreambuf_iterator<char>(file), {}};
  REQUIRE_FALSE(wanted.empty());
  CHECK(pgc::embedded::embed_sample == wanted);
}

TEST_CASE("the binary carries a version and a commit") {
  CHECK(pgc::kVersion.starts_with("v"));
  CHECK_FALSE(pgc::kCommit.empty());
}
