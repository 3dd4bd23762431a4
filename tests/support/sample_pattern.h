// A text that a regular expression matches, made up at random.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/random.h"

namespace pgc::test {

// For the expressions that schemas hold: groups, classes, repetition, alternation, escapes. Of
// anything else (word boundaries, flags) the text may come out not to match.
std::string sample_pattern(std::string_view pattern, Random& random);

}  // namespace pgc::test
