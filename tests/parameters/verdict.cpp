// Reads lines of JSON, [major, name, value], and answers each with {"taken": would PostgreSQL take
// it, as far as we can tell, "errors": [...], "warnings": [...]}, the latter two of a whole object.
#include <iostream>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/parameter_advice.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {
namespace {

bool is_taken(int major, const std::string& name, const std::string& text) {
  const Parameter* parameter = find_parameter(major, name);
  if (parameter == nullptr) return false;
  const auto value = read_value(*parameter, text);
  return value && reason_of_hook(*parameter, *value).empty();
}

Json verdict_on(const std::string& major, const std::string& name, const std::string& text) {
  Json object = {{"metadata", {{"name", "my-db"}}},
                 {"spec", {{"version", major}, {"storage", {{"size", "100Ti"}}}}}};
  object["spec"]["postgresql"]["parameters"][name] = text;
  apply_defaults(object);
  const Verdict verdict = check(object);
  Json errors = Json::array();
  for (const FieldError& error : verdict.errors) errors.push_back(to_string(error));
  return {{"errors", errors}, {"warnings", verdict.warnings}};
}

}  // namespace

Json answer_to(const Json& question) {
  const int major = question[0];
  const std::string name = question[1];
  const std::string text = question[2];
  Json answer = verdict_on(std::to_string(major), name, text);
  answer["taken"] = is_taken(major, name, text);
  return answer;
}

}  // namespace pgc::schema

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = pgc::schema::answer_to(nlohmann::json::parse(line));
    std::cout << answer.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
  }
}
