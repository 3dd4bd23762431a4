// Which members of a JSON document are of interest. What is not is passed over when it is read, and
// costs neither time nor memory. Values; no I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pgc::json {

struct Member;

// A list has the shape of its items, so {"items": s} is for a list of objects of shape s.
struct Shape {
  bool others = true;           // members that are not named here: kept whole, or passed over
  std::vector<Member> members;  // few: they are searched in order

  // The shape of one member; null where it is passed over.
  const Shape* of(std::string_view name) const;
};

struct Member {
  std::string name;
  bool kept = true;
  Shape shape = {};
};

// Everything.
const Shape& whole();

}  // namespace pgc::json
