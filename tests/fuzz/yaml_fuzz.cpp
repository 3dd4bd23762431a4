// Text from a person → documents.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/schema/structural/yaml.h"
#include "tests/fuzz/property.h"

namespace {

using namespace pgc;
using fuzz::must;
using schema::Json;

// JSON is YAML, so what came out can go in again.
void must_come_back(const Json& value) {
  if (!value.is_structured()) return;
  const std::string text = value.dump();  // throws where a string is not UTF-8
  const auto again = schema::parse_yaml(text);
  must(again.has_value() && again->size() == 1, "what was read can be read again", text);
  must(again->front().value == Json::parse(text), "and is the same", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) +
                     static_cast<int>(std::count(text.begin(), text.end(), '\r')) + 1;
  const auto documents = schema::parse_yaml(text);
  if (!documents) {
    must(!documents.error().message.empty(), "an error says what", text);
    must(documents.error().line >= 0 && documents.error().line <= lines, "an error says where",
         text);
    return 0;
  }
  for (const auto& document : *documents) {
    must(document.lines.begin() >= 1 && document.lines.begin() <= lines, "a document has a line",
         text);
    must_come_back(document.value);
  }
  return 0;
}
