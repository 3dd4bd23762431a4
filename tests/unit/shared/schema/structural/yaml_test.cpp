#include "shared/schema/structural/yaml.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

TEST_CASE("plain scalars mean what kubectl takes them for") {
  struct Case {
    std::string_view yaml;
    Json value;
  };
  const Case cases[] = {
      {"16", 16},         {"\"16\"", "16"},
      {"'16'", "16"},     {"!!str 16", "16"},
      {"-7", -7},         {"+7", 7},
      {"010", 8},         {"08", 8},
      {"0o17", 15},       {"0x1F", 31},
      {"-0x1F", -31},     {"0b101", 5},
      {"1_000", 1000},    {"1.5", 1.5},
      {".5", 0.5},        {"1e3", 1000},
      {"3.0", 3},         {"9.6", 9.6},
      {"1.2.3", "1.2.3"}, {"10Gi", "10Gi"},
      {"on", true},       {"Off", false},
      {"yes", true},      {"n", false},
      {"TRUE", true},     {"\"on\"", "on"},
      {"oN", "oN"},       {"~", nullptr},
      {"null", nullptr},  {"2026-01-02", "2026-01-02"},
      {"'.inf'", ".inf"}, {"1:30", "1:30"},
      {"0x", "0x"},       {"18446744073709551615", 18446744073709551615ULL},
  };
  for (const Case& c : cases) {
    CAPTURE(c.yaml);
    CHECK(from_yaml("a: " + std::string(c.yaml))["a"] == c.value);
  }
}

TEST_CASE("documents come one by one, with the line they begin at") {
  const auto documents = parse_yaml("# first\na: 1\n---\n---\n# nothing\n---\nb: 2\n");
  REQUIRE(documents);
  REQUIRE(documents->size() == 2);
  CHECK((*documents)[0].value == Json{{"a", 1}});
  CHECK((*documents)[0].lines.begin() == 2);
  CHECK((*documents)[1].value == Json{{"b", 2}});
  CHECK((*documents)[1].lines.begin() == 7);
}

TEST_CASE("every field has its line") {
  const auto documents = parse_yaml(
      "---\nkind: A\n---\nspec:\n  size: 1\n  list:\n  - name: a\n    size: 2\n  - b\n  labels:\n  "
      "  "
      "x/y: z\n    a.b: c\n");
  REQUIRE(documents);
  const YamlLines& lines = documents->at(1).lines;
  CHECK(lines.begin() == 4);
  CHECK(lines.of("spec") == 4);
  CHECK(lines.of("spec.size") == 5);
  CHECK(lines.of("spec.list[0].size") == 8);
  CHECK(lines.of("spec.list[1]") == 9);
  CHECK(lines.of("spec.labels[x/y]") == 11);
  CHECK(lines.of("spec.labels[a.b]") == 12);
  CHECK(lines.of("spec.list[1].missing") == 9);  // what holds it
  CHECK(lines.of("spec.absent.field") == 4);
  CHECK(lines.of("metadata.name") == 4);
  CHECK(lines.of("<nil>") == 4);
}

TEST_CASE("duplicate keys are reported, and the last one counts") {
  const auto documents = parse_yaml("spec:\n  replicas: 1\n  version: \"16\"\n  replicas: 3\n");
  REQUIRE(documents);
  CHECK(documents->front().value["spec"]["replicas"] == 3);
  CHECK(documents->front().duplicates == std::vector<DuplicateField>{{4, "spec.replicas"}});
}

TEST_CASE("aliases, merge keys and keys that are no strings") {
  CHECK(from_yaml("a: &x {k: 1}\nb: *x\nc: {<<: *x, l: 2}\nd: {<<: *x, k: 3}") ==
        Json{{"a", {{"k", 1}}}, {"b", {{"k", 1}}}, {"c", {{"k", 1}, {"l", 2}}}, {"d", {{"k", 3}}}});
  CHECK(from_yaml("on: 1\n16: 2\n\"off\": 3") == Json{{"true", 1}, {"16", 2}, {"off", 3}});
}

TEST_CASE("JSON is read, also where it is no YAML") {
  CHECK(from_yaml("{\"a\": [1, \"x\\/y\"]}") == Json{{"a", {1, "x/y"}}});
  CHECK(from_yaml("{\n\t\"a\": \"\\ud83d\\ude00\"\n}") == Json{{"a", "\xF0\x9F\x98\x80"}});
}

TEST_CASE("what cannot be read is refused with its line") {
  struct Case {
    std::string text;
    int line;
  };
  const Case cases[] = {
      {"a: 1\nb: [1\nc: 2", 3},
      {"a: .inf", 1},
      {"a: 1\nb: !secret x", 2},
      {"a: {? {b: 1} : 2}", 1},
      {"a: *nowhere", 1},
      {"a: &x [*x]", 1},
      {"a: \xff", 0},
      {",a", 1},
      {"a: 1\nb: \"\\N\"", 2},
      {"a: 1\n---\n{b: 1}], c", 3},
      {std::string(100'000, '['), 1},
      {"a: " + std::string(65, '[') + std::string(65, ']'), 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text.substr(0, 40));
    const auto documents = parse_yaml(c.text);
    REQUIRE_FALSE(documents);
    CHECK(documents.error().line == c.line);
    CHECK_FALSE(documents.error().message.empty());
  }
}

TEST_CASE("aliases that multiply are stopped") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += before + (j < 9 ? ", " : "]\n");
  }
  const auto documents = parse_yaml(text);
  REQUIRE_FALSE(documents);
  CHECK(documents.error().message == "holds too many values, aliases expanded");
}
