// JSON text into values, by simdjson: several times as fast as nlohmann's own lexer, and what is of
// no interest is not even built. The whole text is checked all the same.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "shared/json/shape.h"

namespace pgc::json {

enum class Failure { kNoJson, kTooDeep };

// Keeps its buffers between texts that are of ordinary size. One thread.
class Reader {
 public:
  // Depth: of brackets within brackets, at most 1,000.
  explicit Reader(std::size_t max_depth = 64);
  ~Reader();
  Reader(Reader&&) noexcept;

  // Of members of one name the last one counts. kNoJson: also bytes that are no UTF-8, and integers
  // of more than 64 bits.
  std::expected<nlohmann::json, Failure> read(std::string_view text, const Shape& shape = whole());

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace pgc::json
