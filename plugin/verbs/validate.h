// `kubectl pgc validate -f FILE`: the verdict of the admission webhook, without a cluster.
#pragma once

#include <string>
#include <vector>

#include "plugin/process.h"

namespace pgc::plugin {

struct ValidateOptions {
  std::vector<std::string> files;    // files and folders; "-" is standard input
  std::vector<std::string> crds;     // files and folders with CRDs of other kinds
  std::vector<std::string> against;  // files and folders with the objects as they are now
  bool recursive = false;
  bool json = false;
  bool colour = false;
};

enum class ValidateResult { kValid = 0, kInvalid = 1, kUnreadable = 2 };

// Judges every PostgresCluster, and what has a CRD in `crds`, and says all that is wrong with each.
// Other kinds are passed over with a word. The worst result counts; a file that cannot be read does
// not keep the others from being judged.
ValidateResult validate(const ValidateOptions& options, const Streams& streams);

}  // namespace pgc::plugin
