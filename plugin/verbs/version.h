// `kubectl pgc version`: what this program is. Reads nothing and talks to nobody.
#pragma once

#include <iosfwd>

namespace pgc::plugin {

enum class VersionFormat { kText, kJson };

void version(VersionFormat format, std::ostream& out);

}  // namespace pgc::plugin
