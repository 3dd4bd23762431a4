// A Shape laid on a value that is there already, for documents that did not come through a Reader.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "shared/json/shape.h"

namespace pgc::test {

// What a Reader with this shape would have read of the document's text.
nlohmann::json projected(const nlohmann::json& document, const json::Shape& shape);

}  // namespace pgc::test
