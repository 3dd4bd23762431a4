#include "tests/unit/shared/schema/schema_support.h"

#include <fstream>
#include <sstream>

namespace pgc::schema::testing {

std::string file(const std::string& path) {
  std::ifstream stream(std::string(PGC_SOURCE_DIR) + "/" + path);
  REQUIRE(stream);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace pgc::schema::testing
