// Our CRD's CEL rules and their twins in shared/schema/rules.
//
// The rules know more than CEL does. What CEL says is told apart by its words: the messages that
// stand in the CRD. An error of ours in such words, at such a place, must be the server's as well,
// and the other way round; errors in other words are ours alone. Values are not compared: CEL shows
// none where a rule stands at an object, we show them all.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "tests/agreement/resource.h"

namespace pgc::agreement {

// `field: detail` where the message of an error is a CEL rule's, else nothing. `message` is that of
// a cause, `Invalid value: "x": detail`.
std::optional<std::string> cel_words(const Resource& resource, const std::string& field,
                                     const std::string& message);

// The errors of our rules on an object that its schema finds right, as far as CEL has them too.
std::set<std::string> twin_errors(const Resource& resource, const Json& object, const Json* old);

}  // namespace pgc::agreement
