// The smallest request that still shows a difference.
#pragma once

#include <functional>
#include <string>

namespace pgc::agreement {

// Leaves out parts of a JSON text as long as `differs` holds. Asks at most `limit` times.
std::string shrunk(const std::string& text, const std::function<bool(const std::string&)>& differs,
                   int limit = 150);

}  // namespace pgc::agreement
