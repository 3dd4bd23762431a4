// What two texts of many lines differ in, for people.
#pragma once

#include <map>
#include <sstream>
#include <string>

namespace pgc::faults {

// Empty where they are the same.
inline std::string difference(const std::string& is, const std::string& should) {
  if (is == should) return "";
  std::map<std::string, int> lines;
  std::istringstream one(is);
  for (std::string line; std::getline(one, line);) ++lines[line];
  std::istringstream other(should);
  for (std::string line; std::getline(other, line);) --lines[line];
  std::string text;
  for (const auto& [line, count] : lines) {
    if (count != 0) text += (count > 0 ? "is:     " : "should: ") + line + "\n";
  }
  return text.empty() ? "the same lines in another order" : text;
}

}  // namespace pgc::faults
