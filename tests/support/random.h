// Randomness that is the same on every machine: the distributions of the standard library are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace pgc::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  // 0 to n - 1; n is at least 1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t step = span == 0 ? engine_() : engine_() % span;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step);
  }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  template <typename List>
  const auto& pick(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pgc::test
