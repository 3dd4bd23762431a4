// valijson's part: whether an object is right, quickly and without words.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

namespace valijson {
class Schema;
}

namespace pgc::schema {

using Json = nlohmann::json;

// Throws what valijson throws where a keyword has a wrong type.
std::shared_ptr<const valijson::Schema> compile_verdict(const Json& open_api_schema);

// What valijson does not know is not looked at: formats, list types, the API server's ways with
// large and fractional numbers. Safe from several threads; each keeps its compiled patterns.
bool passes(const valijson::Schema& schema, const Json& object);

}  // namespace pgc::schema
