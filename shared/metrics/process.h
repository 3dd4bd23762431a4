// What every program tells of itself: memory, CPU, open files, when it started. Linux; elsewhere
// the series stay at zero.
#pragma once

#include "shared/metrics/metrics.h"

namespace pgc::metrics {

// Under the names that Prometheus' own client libraries use (process_…).
void add_process_metrics(Registry& registry);

}  // namespace pgc::metrics
