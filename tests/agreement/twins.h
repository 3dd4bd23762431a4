// Our CRD's CEL rules and their twins in shared/schema/rules.
//
// The rules know more than CEL does. What CEL says is told apart by its words: the messages that
// stand in the CRD. An error of ours in such words, at such a place, must be the server's as well,
// and the other way round; errors in other words are ours alone.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/agreement/resource.h"

namespace pgc::agreement {

// The errors of our rules on an object that its schema finds right, as far as CEL has them too.
std::set<std::string> twin_errors(const Resource& resource, const Json& object, const Json* old);

}  // namespace pgc::agreement
