#include "tests/support/sample_pattern.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace pgc::test {
namespace {

constexpr std::string_view kWord = "abcxyzABZ019_";

std::string range(char from, char to) {
  std::string result;
  for (int c = from; c <= to; ++c) result += static_cast<char>(c);
  return result;
}

// The printable characters that are not among `chars`.
std::string all_but(const std::string& chars) {
  std::string result;
  for (char c : range(' ', '~')) {
    if (chars.find(c) == std::string::npos) result += c;
  }
  return result;
}

// Reads the expression from left to right and writes text as it goes. What an alternation does not
// take is read as well, into nothing.
class Sampler {
 public:
  Sampler(std::string_view pattern, Random& random) : rest_(pattern), random_(random) {}

  std::string alternation() {
    std::vector<std::string> branches = {sequence()};
    while (take('|')) branches.push_back(sequence());
    return random_.pick(branches);
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  char next() {
    if (rest_.empty()) return 'x';
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string sequence() {
    std::string text;
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') text += repeated();
    return text;
  }

  // An atom is read once for each time that it stands in the text, always from the same place.
  std::string repeated() {
    const std::string_view begin = rest_;
    std::string once = atom();
    const auto [low, high] = repetition();
    const std::string_view after = rest_;
    std::string text;
    const std::size_t times = low + random_.below(high - low + 1);
    for (std::size_t i = 0; i < times; ++i) {
      rest_ = begin;
      text += atom();
    }
    rest_ = after;
    return text;
  }

  std::pair<std::size_t, std::size_t> repetition() {
    std::pair<std::size_t, std::size_t> bounds = {1, 1};
    if (take('*')) {
      bounds = {0, 3};
    } else if (take('+')) {
      bounds = {1, 4};
    } else if (take('?')) {
      bounds = {0, 1};
    } else if (take('{')) {
      bounds = counted();
    }
    take('?');  // lazy
    return bounds;
  }

  std::pair<std::size_t, std::size_t> counted() {
    const std::size_t low = number();
    std::size_t high = low;
    if (take(',')) high = rest_.starts_with('}') ? low + 3 : number();
    take('}');
    return {low, std::clamp(high, low, low + 40)};
  }

  std::size_t number() {
    std::size_t value = 0;
    while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) {
      value = value * 10 + static_cast<std::size_t>(next() - '0');
    }
    return std::min<std::size_t>(value, 300);
  }

  std::string atom() {
    const char c = next();
    if (c == '^' || c == '$') return {};
    if (c == '(') return group();
    if (c == '.') return one_of(kWord);
    if (c == '[') return one_of(char_class());
    if (c == '\\') return one_of(escape());
    return {c};
  }

  std::string group() {
    if (rest_.starts_with("?:")) rest_.remove_prefix(2);
    if (rest_.starts_with("?P<")) rest_.remove_prefix(rest_.find('>') + 1);
    std::string text = alternation();
    take(')');
    return text;
  }

  std::string char_class() {
    const bool negated = take('^');
    std::string chars;
    for (bool first = true; !rest_.empty() && (first || rest_.front() != ']'); first = false) {
      const char c = next();
      if (c == '\\') {
        chars += escape();
      } else if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        next();
        chars += range(c, next());
      } else {
        chars += c;
      }
    }
    take(']');
    return negated ? all_but(chars) : chars;
  }

  std::string escape() {
    switch (const char c = next()) {
      case 'd':
        return range('0', '9');
      case 'D':
        return all_but(range('0', '9'));
      case 'w':
        return std::string(kWord);
      case 'W':
        return "-+ ";
      case 's':
        return " ";
      case 'S':
        return std::string(kWord);
      case 'n':
        return "\n";
      case 't':
        return "\t";
      default:
        return {c};
    }
  }

  std::string one_of(std::string_view chars) {
    return chars.empty() ? std::string() : std::string(1, random_.pick(chars));
  }

  std::string_view rest_;
  Random& random_;
};

}  // namespace

std::string sample_pattern(std::string_view pattern, Random& random) {
  return Sampler(pattern, random).alternation();
}

}  // namespace pgc::test
