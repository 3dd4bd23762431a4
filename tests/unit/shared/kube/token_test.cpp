#include "shared/kube/token.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

namespace pgc::kube {
namespace {

// A file that goes with the test.
class TokenFile {
 public:
  explicit TokenFile(const std::string& text) { write(text); }
  ~TokenFile() { std::filesystem::remove(path_); }
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;

  void write(const std::string& text) const { std::ofstream(path_) << text; }
  void remove() const { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("pgc-token-" + std::to_string(::getpid())))
          .string();
};

TEST_CASE("without a file the token is the fixed one") {
  CHECK(TokenSource("", "fixed").current() == "fixed");
  CHECK(TokenSource("", "").current().empty());
}

TEST_CASE("the file wins over the fixed token, without its newline") {
  const TokenFile file("from-file\n");
  CHECK(TokenSource(file.path(), "fixed").current() == "from-file");
}

TEST_CASE("a token once read is kept for a while") {
  const TokenFile file("first");
  TokenSource source(file.path(), "");
  CHECK(source.current() == "first");
  file.write("second");
  CHECK(source.current() == "first");
  file.remove();
  CHECK(source.current() == "first");
}

TEST_CASE("a file that comes late is read when it is there") {
  const TokenFile file("");
  file.remove();
  TokenSource source(file.path(), "");
  CHECK(source.current().empty());
  file.write("late");
  CHECK(source.current() == "late");
}

}  // namespace
}  // namespace pgc::kube
