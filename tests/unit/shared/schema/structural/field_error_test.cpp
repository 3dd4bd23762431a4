#include "shared/schema/structural/field_error.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace pgc::schema;

TEST_CASE("a field path prints as Kubernetes prints it") {
  CHECK(FieldPath().to_string() == "<nil>");
  CHECK(FieldPath().child("spec").to_string() == "spec");
  CHECK(FieldPath("spec").child("list").index(0).child("name").to_string() == "spec.list[0].name");
  CHECK(FieldPath("metadata").child("labels").key("a/b").to_string() == "metadata.labels[a/b]");
}

TEST_CASE("a field error prints in the API server's words") {
  const FieldPath path("spec.x");
  struct Case {
    FieldError error;
    std::string_view text;
    std::string_view reason;
  };
  const Case cases[] = {
      {required(path), "spec.x: Required value", "FieldValueRequired"},
      {required(path, "say where"), "spec.x: Required value: say where", "FieldValueRequired"},
      {forbidden(path, "not here"), "spec.x: Forbidden: not here", "FieldValueForbidden"},
      {invalid(path, 0, "too few"), "spec.x: Invalid value: 0: too few", "FieldValueInvalid"},
      {invalid(path, "a\"b\n\x01", "bad"), "spec.x: Invalid value: \"a\\\"b\\n\\x01\": bad",
       "FieldValueInvalid"},
      {invalid(path, Json{{"a", "<&>"}}, "bad"),
       "spec.x: Invalid value: {\"a\":\"\\u003c\\u0026\\u003e\"}: bad", "FieldValueInvalid"},
      {invalid(path, nullptr, "bad"), "spec.x: Invalid value: null: bad", "FieldValueInvalid"},
      {type_invalid(path, "string", "bad"), "spec.x: Invalid value: \"string\": bad",
       "FieldValueTypeInvalid"},
      {not_supported(path, "c", {"a", "b"}),
       "spec.x: Unsupported value: \"c\": supported values: \"a\", \"b\"",
       "FieldValueNotSupported"},
      {duplicate(path, {{"name", "a"}}), "spec.x: Duplicate value: {\"name\":\"a\"}",
       "FieldValueDuplicate"},
      {too_long(path, 40), "spec.x: Too long: may not be more than 40 bytes", "FieldValueTooLong"},
      {too_many(path, 3, 2), "spec.x: Too many: 3: must have at most 2 items", "FieldValueTooMany"},
  };
  for (const Case& c : cases) {
    CHECK(to_string(c.error) == c.text);
    CHECK(c.error.field + ": " + message(c.error) == c.text);
    CHECK(reason(c.error.type) == c.reason);
  }
}

TEST_CASE("text that is no UTF-8 is printed, not thrown over") {
  CHECK_NOTHROW(printed(Json{{"a", "\xff"}}));
  CHECK_NOTHROW(printed("\xff"));
}
