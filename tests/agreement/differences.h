// Where the engine differs from the API server on purpose, each with a name and a reason. The run
// prints the list with how often each was met; anything else that differs is a failure.
#pragma once

#include <string_view>
#include <vector>

#include "tests/agreement/verdict.h"

namespace pgc::agreement {

struct KnownDifference {
  std::string_view name;
  std::string_view explanation;
  bool (*covers)(const Resource& resource, const Request& request, const Verdict& server,
                 const Verdict& engine);
};

const std::vector<KnownDifference>& known_differences();

}  // namespace pgc::agreement
