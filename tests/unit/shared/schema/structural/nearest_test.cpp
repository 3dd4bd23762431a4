#include "shared/schema/structural/nearest.h"

#include <catch2/catch_test_macros.hpp>

using pgc::schema::nearest;

namespace {

const std::vector<std::string_view> kNames = {"shared_buffers", "max_connections", "replicas",
                                              "work_mem", "wal_level"};

}  // namespace

TEST_CASE("nearest: a slip of the keyboard", "[schema][nearest]") {
  CHECK(nearest("shared_bufers", kNames) == "shared_buffers");
  CHECK(nearest("maxConnections", kNames) == "max_connections");
  CHECK(nearest("replcias", kNames) == "replicas");
  CHECK(nearest("Replicas", kNames) == "replicas");
  CHECK(nearest("workmem", kNames) == "work_mem");
  CHECK(nearest("wal_levle", kNames) == "wal_level");
}

TEST_CASE("nearest: another word altogether", "[schema][nearest]") {
  CHECK_FALSE(nearest("image", kNames));
  CHECK_FALSE(nearest("", kNames));
  CHECK_FALSE(nearest("x", kNames));
  CHECK_FALSE(nearest("replicas", {}));
  CHECK_FALSE(nearest(std::string(5000, 'a'), {std::string_view("aaaa")}));
}

TEST_CASE("nearest: a swap is one slip, not two", "[schema][nearest]") {
  CHECK(nearest("ab", {std::string_view("ba")}) == "ba");
  CHECK_FALSE(nearest("ab", {std::string_view("cd")}));
}

TEST_CASE("nearest: of several the nearest, of equals the first", "[schema][nearest]") {
  CHECK(nearest("cat", {std::string_view("cart"), "cut"}) == "cart");
  CHECK(nearest("size", {std::string_view("sizes"), "size"}) == "size");
}
