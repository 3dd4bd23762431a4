// Objects as text for other programs: what `kubectl get -o json` and `-o yaml` give.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

namespace pgc::plugin {

// To the letter what kubectl prints.
void print_json(std::ostream& out, const nlohmann::json& document);

// What kubectl prints, but for the quotes and line breaks of unusual texts; the meaning is the
// same.
void print_yaml(std::ostream& out, const nlohmann::json& document);

}  // namespace pgc::plugin
