// `kubectl pgc describe NAME`: everything about one cluster on a page.
#pragma once

#include <string>

#include "plugin/process.h"
#include "shared/kube/client.h"

namespace pgc::plugin {

struct DescribeOptions {
  std::string ns;
  std::string name;
  bool colour = false;
};

// Reads the cluster and its events, never a Secret. Events that may not be read are said to be so.
kube::Result<void> describe(const DescribeOptions& options, kube::Reader& reader,
                            const Streams& streams, const Clock& clock);

}  // namespace pgc::plugin
