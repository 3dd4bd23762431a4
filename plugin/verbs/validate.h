// `kubectl pgc validate -f FILE`: the verdict of the admission webhook, without a cluster.
#pragma once

#include <string>
#include <vector>

#include "plugin/process.h"

namespace pgc::plugin {

struct ValidateOptions {
  std::vector<std::string> files;  // "-" is standard input
};

enum class ValidateResult { kValid = 0, kInvalid = 1, kUnreadable = 2 };

// Judges every PostgresCluster in the files and says all that is wrong with each. Other kinds are
// passed over with a word. The worst result counts.
ValidateResult validate(const ValidateOptions& options, const Streams& streams);

}  // namespace pgc::plugin
