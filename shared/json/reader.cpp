#include "shared/json/reader.h"

#include <simdjson.h>

#include <nlohmann/json.hpp>

namespace pgc::json {
namespace {

using Json = nlohmann::json;
namespace dom = simdjson::dom;

// Buffers for a larger text than this are given back, so that one monster does not stay in memory.
constexpr std::size_t kOrdinary = 64 << 10;

// nlohmann's own parser takes what has no sign for unsigned.
Json integer(std::int64_t number) {
  return number < 0 ? Json(number) : Json(static_cast<std::uint64_t>(number));
}

Json built(const dom::element& element, const Shape& shape);

Json built(const dom::object& object, const Shape& shape) {
  Json result = Json::object();
  for (const auto& [name, value] : object) {
    const Shape* inner = shape.of(name);
    if (inner != nullptr) result[std::string(name)] = built(value, *inner);
  }
  return result;
}

Json built(const dom::array& array, const Shape& shape) {
  Json result = Json::array();
  for (const dom::element& item : array) result.push_back(built(item, shape));
  return result;
}

// Recurses no deeper than the parser has allowed.
Json built(const dom::element& element, const Shape& shape) {
  switch (element.type()) {
    case dom::element_type::OBJECT:
      return built(element.get_object().value_unsafe(), shape);
    case dom::element_type::ARRAY:
      return built(element.get_array().value_unsafe(), shape);
    case dom::element_type::STRING:
      return std::string(element.get_string().value_unsafe());
    case dom::element_type::INT64:
      return integer(element.get_int64().value_unsafe());
    case dom::element_type::UINT64:
      return element.get_uint64().value_unsafe();
    case dom::element_type::DOUBLE:
      return element.get_double().value_unsafe();
    case dom::element_type::BOOL:
      return element.get_bool().value_unsafe();
    case dom::element_type::NULL_VALUE:
      break;
  }
  return nullptr;
}

}  // namespace

struct Reader::Parser {
  std::size_t max_depth;
  dom::parser dom{};
};

Reader::Reader(std::size_t max_depth) : parser_(std::make_unique<Parser>(Parser{max_depth})) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;

std::expected<nlohmann::json, Failure> Reader::read(std::string_view text, const Shape& shape) {
  dom::parser& parser = parser_->dom;
  if (text.size() > parser.capacity() || parser.max_depth() != parser_->max_depth) {
    if (parser.allocate(text.size(), parser_->max_depth) != simdjson::SUCCESS) {
      return std::unexpected(Failure::kNoJson);
    }
  }
  const auto document = parser.parse(text.data(), text.size());
  std::expected<Json, Failure> result = std::unexpected(Failure::kNoJson);
  if (document.error() == simdjson::DEPTH_ERROR) result = std::unexpected(Failure::kTooDeep);
  if (document.error() == simdjson::SUCCESS) result = built(document.value_unsafe(), shape);
  if (parser.capacity() > kOrdinary) parser_->dom = dom::parser();
  return result;
}

}  // namespace pgc::json
