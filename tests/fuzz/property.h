// What a fuzz target asserts. A property that does not hold ends the program with what was found,
// as a crash does, so that libFuzzer keeps the input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pgc::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// `found` may be anything that helps to understand, such as the object at hand.
void must(bool holds, std::string_view property, std::string_view found = {});

// What may be shown to a person as a warning: not empty, at most `longest` bytes, no control
// characters.
void must_be_a_warning(const std::string& text, std::size_t longest);

}  // namespace pgc::fuzz
