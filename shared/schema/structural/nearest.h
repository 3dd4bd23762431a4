// The name that was probably meant, for "did you mean".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgc::schema {

// The candidate that is the fewest slips away from `word`: letters added, left out, changed or
// swapped with their neighbour; case does not count. Nothing where even the best one differs in
// more than a third of the word. Of equals the first.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string_view>& candidates);

}  // namespace pgc::schema
