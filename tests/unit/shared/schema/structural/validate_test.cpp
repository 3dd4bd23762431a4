#include "shared/schema/structural/validate.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

namespace {

constexpr std::string_view kSchema = R"(
type: object
required: [need]
properties:
  need: {type: string}
  int: {type: integer, format: int32, minimum: 1, maximum: 2000000000}
  open: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 1.5, exclusiveMaximum: true}
  even: {type: integer, multipleOf: 2}
  text: {type: string, minLength: 2, maxLength: 4, pattern: '^[a-zü]+$'}
  word: {type: string, enum: [a, b]}
  flag: {type: boolean}
  maybe: {type: string, nullable: true}
  amount: {x-kubernetes-int-or-string: true, pattern: '^[0-9]+$'}
  few: {type: array, minItems: 1, maxItems: 2, items: {type: string}}
  map: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: integer, minimum: 1}}
  list:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer, minimum: 1}}}
  set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  either:
    type: object
    properties: {a: {type: string}, b: {type: string}}
    anyOf: [{required: [a]}, {required: [b]}]
)";

const Schema& schema() {
  static const Schema instance = schema_from_yaml(kSchema);
  return instance;
}

Json object(std::string_view fields) {
  Json result = from_yaml(fields);
  if (!result.contains("need")) result["need"] = "x";
  return result;
}

struct Case {
  std::string_view fields;
  std::vector<std::string> errors;
};

}  // namespace

TEST_CASE("what the schema allows is right") {
  for (std::string_view fields :
       {"{int: 1, open: 0.1, even: 4, text: abcd, word: a, flag: true, maybe: null, amount: 5}",
        "{text: üüüü, amount: '5', few: [a], map: {a: 1, b: 2}, list: [{name: a}, {name: b}], set: "
        "[a, b]}",
        "{int: 3.0, either: {b: x}, not-named: {is: fine}}"}) {
    CAPTURE(fields);
    CHECK(texts(validate(schema(), object(fields))).empty());
  }
}

TEST_CASE("what the schema refuses is said in the API server's words") {
  const Case cases[] = {
      {"{need: null}",
       {R"(need: Invalid value: "null": need in body must be of type string: "null")"}},
      {"{int: 0}", {"int: Invalid value: 0: int in body should be greater than or equal to 1"}},
      {"{int: three}",
       {R"(int: Invalid value: "string": int in body must be of type integer: "string")"}},
      {"{int: 1.5}",
       {R"(int: Invalid value: "float64": int in body must be of type int32: "float64")",
        R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 in int)"}},
      {"{int: 3000000000}",
       {R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 in int)",
        "int: Invalid value: 3000000000: int in body should be less than or equal to 2000000000"}},
      {"{int: 18446744073709551615}",
       {R"(int: Invalid value: "float64": int in body must be of type int32: "float64")",
        R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 in int)",
        "int: Invalid value: 1.8446744073709552e+19: int in body should be less than or equal to "
        "2e+09"}},
      {"{int: true}", {R"(int: Invalid value: "": int in body must be of type int32: "")"}},
      {"{open: 0}", {"open: Invalid value: 0: open in body should be greater than 0"}},
      {"{open: 1.5}", {"open: Invalid value: 1.5: open in body should be less than 1.5"}},
      {"{even: 3}", {"even: Invalid value: 3: even in body should be a multiple of 2"}},
      {"{text: a}", {R"(text: Invalid value: "a": text in body should be at least 2 chars long)"}},
      {"{text: abcde}", {"text: Too long: may not be more than 4 bytes"}},
      {"{text: AB}", {R"(text: Invalid value: "AB": text in body should match '^[a-zü]+$')"}},
      {"{word: c}", {R"(word: Unsupported value: "c": supported values: "a", "b")"}},
      {"{word: 1}",
       {R"(word: Invalid value: "integer": word in body must be of type string: "integer")",
        R"(word: Unsupported value: 1: supported values: "a", "b")"}},
      {"{flag: 'true'}",
       {R"(flag: Invalid value: "string": flag in body must be of type boolean: "string")"}},
      {"{amount: true}",
       {R"(amount: Invalid value: "boolean": amount in body must be of type integer,string: "boolean")"}},
      {"{amount: ten}",
       {R"(amount: Invalid value: "ten": amount in body should match '^[0-9]+$')"}},
      {"{few: []}", {"few: Invalid value: 0: few in body should have at least 1 items"}},
      {"{few: [a, b, c]}", {"few: Too many: 3: must have at most 2 items"}},
      {"{few: [a, 1]}",
       {R"(few[1]: Invalid value: "integer": few[1] in body must be of type string: "integer")"}},
      {"{map: {}}", {"map: Invalid value: 0: map in body should have at least 1 properties"}},
      {"{map: {a: 1, b: 2, c: 3}}", {"map: Too many: 3: must have at most 2 items"}},
      {"{map: {a.b: 0}}",
       {"map.a.b: Invalid value: 0: map.a.b in body should be greater than or equal to 1"}},
      {"{list: [{size: 1}]}", {"list[0].name: Required value"}},
      {"{list: [{name: a}, {name: a}]}", {R"(list[1]: Duplicate value: {"name":"a"})"}},
      {"{set: [a, b, a]}", {R"(set[2]: Duplicate value: "a")"}},
      {"{either: {}}",
       {R"(<nil>: Invalid value: "": "either" must validate at least one schema (anyOf))",
        "either.a: Required value"}},
      {"{int: 0, word: c}",
       {"int: Invalid value: 0: int in body should be greater than or equal to 1",
        R"(word: Unsupported value: "c": supported values: "a", "b")"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.fields);
    CHECK(texts(validate(schema(), object(c.fields))) == c.errors);
  }
}

TEST_CASE("an object without what is required, or that is none, is refused") {
  CHECK(texts(validate(schema(), Json::object())) ==
        std::vector<std::string>{"need: Required value"});
  CHECK(texts(validate(schema(), Json("text"))) ==
        std::vector<std::string>{
            R"(<nil>: Invalid value: "string":  in body must be of type object: "string")"});
}

TEST_CASE("an object nested too deeply is refused unread") {
  Json deep = "end";
  for (int i = 0; i < 100'000; ++i) {
    Json outer = Json::object();
    outer["a"] = std::move(deep);
    deep = std::move(outer);
  }
  CHECK(texts(validate(schema(), deep)) ==
        std::vector<std::string>{"<nil>: Invalid value: must not be nested deeper than 64 levels"});
}

TEST_CASE("on an update, what was wrong before and is unchanged is tolerated") {
  const Json old = object("{int: 0, list: [{name: a, size: 0}, {name: b}], few: [1]}");
  struct Update {
    std::string_view fields;
    std::vector<std::string> errors;
  };
  const Update updates[] = {
      {"{int: 0, word: a}", {}},
      {"{int: -1}", {"int: Invalid value: -1: int in body should be greater than or equal to 1"}},
      {"{list: [{name: b}, {name: a, size: 0}]}", {}},
      {"{list: [{name: b, size: 0}]}",
       {"list[0].size: Invalid value: 0: list[0].size in body should be greater than or equal to "
        "1"}},
      {"{few: [1]}", {}},
      {"{few: [1, 2]}",
       {R"(few[0]: Invalid value: "integer": few[0] in body must be of type string: "integer")",
        R"(few[1]: Invalid value: "integer": few[1] in body must be of type string: "integer")"}},
  };
  for (const Update& update : updates) {
    CAPTURE(update.fields);
    CHECK(texts(validate(schema(), object(update.fields), &old)) == update.errors);
  }
}
