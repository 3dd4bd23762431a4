// `kubectl pgc doctor`: which hop between API server and webhook is broken, proven by dry runs.
#pragma once

#include <string>

#include "plugin/process.h"
#include "shared/kube/client.h"

namespace pgc::plugin {

struct DoctorOptions {
  std::string ns;  // where the dry runs would create
  bool colour = false;
};

// Writes nothing to the cluster. True where no hop is broken.
kube::Result<bool> doctor(const DoctorOptions& options, kube::Client& client,
                          const Streams& streams, const Clock& clock);

}  // namespace pgc::plugin
