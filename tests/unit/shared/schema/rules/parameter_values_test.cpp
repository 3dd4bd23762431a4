#include "shared/schema/rules/parameter_values.h"

#include <catch2/catch_test_macros.hpp>

using namespace pgc::schema;

TEST_CASE("integers of postgresql.conf") {
  CHECK(parse_integer("100") == 100);
  CHECK(parse_integer(" +5 ") == 5);
  CHECK(parse_integer("-1") == -1);
  for (std::string_view text : {"", " ", "1.5", "10MB", "ten", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_integer(text));
  }
}

TEST_CASE("booleans of postgresql.conf") {
  for (std::string_view text : {"on", "ON", "t", "tru", "true", "y", "yes", "1"})
    CHECK(parse_boolean(text) == true);
  for (std::string_view text : {"of", "off", "f", "False", "n", "no", "0"})
    CHECK(parse_boolean(text) == false);
  for (std::string_view text : {"", "o", "yess", "2", "onn"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_boolean(text));
  }
}

TEST_CASE("amounts of memory of postgresql.conf") {
  CHECK(parse_memory("128MB", 8192) == std::int64_t{128} << 20);
  CHECK(parse_memory("1.5 GB", 8192) == std::int64_t{1536} << 20);
  CHECK(parse_memory("16384", 8192) == std::int64_t{128} << 20);
  CHECK(parse_memory("1TB", 1) == std::int64_t{1} << 40);
  for (std::string_view text : {"", "MB", "128mb", "128M", "1 2MB", "1e30TB", "--1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_memory(text, 8192));
  }
}
