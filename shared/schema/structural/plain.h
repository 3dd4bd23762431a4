// Whether valijson's verdict on an object is the API server's.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace pgc::schema {

using Json = nlohmann::json;
struct Node;

// False where an object holds something that the API server judges in its own way: a format, a
// number that is not an ordinary integer, a null beside an enum. Then explain() must be asked.
bool is_plain(const Node& root, const Json& object);

}  // namespace pgc::schema
