#include "shared/schema/structural/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pgc::schema {
namespace {

// Longer words are not compared: the work grows with the product of both lengths.
constexpr std::size_t kLongestWord = 128;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The optimal string alignment distance, one row of its table at a time.
class Slips {
 public:
  explicit Slips(std::string_view word) : word_(word) {
    std::transform(word_.begin(), word_.end(), word_.begin(), lower);
  }

  std::size_t to(std::string_view other) {
    previous_.assign(word_.size() + 1, 0);
    row_.resize(word_.size() + 1);
    std::iota(row_.begin(), row_.end(), std::size_t{0});
    for (std::size_t i = 1; i <= other.size(); ++i) {
      before_previous_ = std::exchange(previous_, row_);
      row_[0] = i;
      for (std::size_t j = 1; j <= word_.size(); ++j) row_[j] = cell(other, i, j);
    }
    return row_.back();
  }

 private:
  std::size_t cell(std::string_view other, std::size_t i, std::size_t j) const {
    const char here = lower(other[i - 1]);
    const std::size_t changed = previous_[j - 1] + (here == word_[j - 1] ? 0 : 1);
    const std::size_t best = std::min({changed, previous_[j] + 1, row_[j - 1] + 1});
    const bool swapped =
        i > 1 && j > 1 && here == word_[j - 2] && lower(other[i - 2]) == word_[j - 1];
    return swapped ? std::min(best, before_previous_[j - 2] + 1) : best;
  }

  std::string word_;
  std::vector<std::size_t> row_;
  std::vector<std::size_t> previous_;
  std::vector<std::size_t> before_previous_;
};

}  // namespace

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string_view>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  Slips slips(word);
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter >= fewest) continue;  // that many letters are missing at least
    if (const std::size_t count = slips.to(candidate); count < fewest) {
      fewest = count;
      best = candidate;
    }
  }
  if (best.empty()) return std::nullopt;
  return std::string(best);
}

}  // namespace pgc::schema
