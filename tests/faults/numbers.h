// How much is tried: by default what takes seconds, with PGC_TEST_FULL what takes long.
// PGC_FAULT_SEED begins the random ones elsewhere, PGC_FAULT_COUNT says how many there are.
#pragma once

#include <cstdlib>
#include <string>

namespace pgc::faults {

inline unsigned number_of(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise
                                          : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

inline bool full() {
  const char* text = std::getenv("PGC_TEST_FULL");
  return text != nullptr && *text != '\0';
}

inline unsigned first_seed() {
  return number_of("PGC_FAULT_SEED", 1);
}

inline unsigned how_many(unsigned quick, unsigned whole) {
  return number_of("PGC_FAULT_COUNT", full() ? whole : quick);
}

}  // namespace pgc::faults
