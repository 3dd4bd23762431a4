#include "shared/schema/rules/parameter_values.h"

#include <catch2/catch_test_macros.hpp>

#include "shared/schema/rules/characters.h"

using namespace pgc::schema;

namespace {

const Parameter& parameter(int major, std::string_view name) {
  const Parameter* found = find_parameter(major, name);
  INFO(name);
  REQUIRE(found != nullptr);
  return *found;
}

std::string error_of(std::string_view name, const std::string& text) {
  const auto value = read_value(parameter(17, name), text);
  return value ? "" : value.error();
}

}  // namespace

TEST_CASE("a parameter is found by its name, in any case") {
  CHECK(parameter(16, "work_mem").unit == "kB");
  CHECK(parameter(16, "WORK_MEM").name == "work_mem");
  CHECK(parameter(17, "datestyle").name == "DateStyle");
  CHECK(parameter(16, "auto_explain.log_nested_statements").kind == ParameterKind::kBool);
  CHECK(find_parameter(16, "summarize_wal") == nullptr);
  CHECK(parameter(17, "summarize_wal").context == ParameterContext::kSighup);
  CHECK(find_parameter(15, "work_mem") == nullptr);
  for (std::string_view name : {"", "a", "zzz", "work_me", "work_memo", "work_mem.x"})
    CHECK(find_parameter(17, name) == nullptr);
}

TEST_CASE("every parameter is found, and takes its own default") {
  for (int major : {16, 17}) {
    CHECK(parameters_of(major).size() > 350);
    for (const Parameter& each : parameters_of(major)) {
      CAPTURE(major, each.name);
      CHECK(find_parameter(major, each.name) == &each);
      const bool out_of_range = each.context == ParameterContext::kInternal;
      CHECK((out_of_range || read_value(each, std::string(each.default_value)).has_value()));
    }
  }
}

TEST_CASE("integers of postgresql.conf") {
  CHECK(parse_integer("100") == 100);
  CHECK(parse_integer(" +5 ") == 5);
  CHECK(parse_integer("-1") == -1);
  CHECK(parse_integer("0x10") == 16);
  CHECK(parse_integer("010") == 8);
  CHECK(parse_integer("1.5") == 2);
  CHECK(parse_integer("2.5") == 2);
  CHECK(parse_integer("1e3") == 1000);
  CHECK(parse_integer("0B", "kB") == 0);
  for (const char* text : {"", " ", "10MB", "ten", "08", "1e", "0b11", "1e400", "nan", "--1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_integer(text));
  }
}

TEST_CASE("booleans of postgresql.conf") {
  for (std::string_view text : {"on", "ON", "t", "tru", "true", "y", "yes", "1"})
    CHECK(parse_boolean(text) == true);
  for (std::string_view text : {"of", "off", "f", "False", "n", "no", "0"})
    CHECK(parse_boolean(text) == false);
  for (std::string_view text : {"", "o", "yess", "2", "onn", " on", "on "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_boolean(text));
  }
}

TEST_CASE("amounts count in the unit of the parameter") {
  CHECK(parse_integer("128MB", "8kB") == 16384);
  CHECK(parse_integer("1.5 GB", "8kB") == 196608);
  CHECK(parse_integer("16384", "8kB") == 16384);
  CHECK(parse_integer("30.1GB", "MB") == 30822);
  CHECK(parse_integer("1d", "s") == 86400);
  CHECK(parse_integer("1500us", "ms") == 2);
  CHECK(parse_real("1.5ms", "ms") == 1.5);
  CHECK(parse_real("100us", "ms") == 0.1);
  for (const char* text : {"", "MB", "128mb", "128M", "1 2MB", "1e999TB", "10s", "1kBs"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_integer(text, "8kB"));
  }
}

TEST_CASE("what is wrong with a value, and what would be right") {
  CHECK(error_of("work_mem", "4MB").empty());
  CHECK(error_of("work_mem", "4 Mega") ==
        "must be an amount of memory, such as 64MB; the units are B, kB, MB, GB and TB");
  CHECK(error_of("work_mem", "32kB") == "must be from 64kB to 2147483647kB");
  CHECK(error_of("statement_timeout", "5MB") ==
        "must be a time, such as 10ms; the units are us, ms, s, min, h and d");
  CHECK(error_of("checkpoint_timeout", "1s") == "must be from 30s to 1d");
  CHECK(error_of("temp_file_limit", "-2") == "must be from -1 to 2147483647kB");
  CHECK(error_of("max_connections", "3000000000") == "must be from 1 to 262143");
  CHECK(error_of("max_connections", "many") == "must be a whole number");
  CHECK(error_of("random_page_cost", "cheap") == "must be a number");
  CHECK(error_of("checkpoint_completion_target", "1.1") == "must be from 0 to 1");
  CHECK(error_of("jit", "maybe") == "must be \"on\" or \"off\"");
  CHECK(error_of("wal_level", "none") == "must be one of minimal,replica,logical");
  CHECK(error_of("wal_level", "Hot_Standby").empty());
}

TEST_CASE("amounts for people") {
  CHECK(amount_text(16384, "8kB") == "128MB");
  CHECK(amount_text(1, "8kB") == "8kB");
  CHECK(amount_text(90, "s") == "90s");
  CHECK(amount_text(120, "s") == "2min");
  CHECK(amount_text(-1, "kB") == "-1");
  CHECK(amount_text(0.5, "ms") == "500us");
  CHECK(amount_text(0.25, "") == "0.25");
}

TEST_CASE("only clean lines reach the files") {
  for (std::string_view text : {"", "a", "it's", "\\", "\"", "ü€😀", "\xC2\xA0"})
    CHECK(is_one_clean_line(text));
  using std::string_view_literals::operator""sv;
  for (std::string_view text :
       {"a\nb"sv, "a\rb"sv, "\0"sv, "\x7f"sv, "\xC2\x80"sv, "\xC2\x85"sv, "\xE2\x80\xA8"sv,
        "\xE2\x80\xA9"sv, "\xEF\xBB\xBF"sv, "\xEF\xBF\xBF"sv, "\xff"sv, "\xC0\x80"sv,
        "\xE0\x80\x80"sv, "\xED\xA0\x80"sv, "\xF4\x90\x80\x80"sv, "\xC2"sv, "a\xE2\x82"sv,
        "\x80"sv}) {
    CAPTURE(text);
    CHECK_FALSE(is_one_clean_line(text));
  }
}
