// `kubectl pgc scale NAME REPLICAS`: how many instances a cluster has, primary included.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "plugin/process.h"
#include "shared/kube/client.h"

namespace pgc::plugin {

enum class Wait { kNo, kYes };

struct ScaleOptions {
  std::string ns;
  std::string name;
  std::int64_t replicas = 0;  // what is allowed, only the server says
  Wait wait = Wait::kNo;
  std::chrono::milliseconds timeout{5 * 60'000};  // of the waiting
};

kube::Result<void> scale(const ScaleOptions& options, kube::Client& client, const Streams& streams,
                         const Clock& clock);

}  // namespace pgc::plugin
