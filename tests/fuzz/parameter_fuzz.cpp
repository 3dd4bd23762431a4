// A setting of PostgreSQL, "name=value" → the verdict on a cluster with it, for each major.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/rules.h"
#include "tests/fuzz/property.h"

namespace {

using namespace pgc;
using fuzz::must;
using Json = nlohmann::json;

Json cluster_with(const std::string& major, const std::string& name, const std::string& value) {
  Json object = {{"apiVersion", "db.example.com/v1"},
                 {"kind", "PostgresCluster"},
                 {"metadata", {{"name", "my-db"}, {"namespace", "shop"}}},
                 {"spec", {{"version", major}, {"postgresql", {{"parameters", {{name, value}}}}}}}};
  schema::apply_defaults(object);
  return object;
}

// All that comes in by JSON or YAML is.
bool is_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)) == text;
}

bool breaks_a_line(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return c == '\n' || c == '\r' || c == '\0'; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::as_text(data, size));
  const std::size_t split = text.find('=');
  if (split == std::string::npos || !is_utf8(text)) return -1;
  const std::string name = text.substr(0, split);
  const std::string value = text.substr(split + 1);
  for (const char* major : {"16", "17"}) {
    const schema::Verdict verdict = schema::check(cluster_with(major, name, value));
    for (const auto& error : verdict.errors) {
      must(error.field.starts_with("spec."), "the error is at the setting", error.field);
      must(!schema::message(error).empty(), "an error says what", text);
    }
    for (const auto& warning : verdict.warnings) fuzz::must_be_a_warning(warning, 120);
    must(!verdict.ok() || !(breaks_a_line(name) || breaks_a_line(value)),
         "nothing that breaks a line of a configuration file gets in", text);
  }
  return 0;
}
