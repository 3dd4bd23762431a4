// What Prometheus may ask about the calls of the API server, under client-go's names; a call
// without an answer has the code "<error>" there, too (docs/operator.md).
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "shared/kube/config.h"
#include "shared/metrics/metrics.h"

namespace pgc {

// Safe from several threads. `registry` must outlive it.
class CallMetrics {
 public:
  explicit CallMetrics(metrics::Registry& registry) : registry_(registry) {}

  void count(const kube::ApiCall& call);

 private:
  struct Series {
    metrics::Counter* calls = nullptr;
    metrics::Histogram* time = nullptr;
  };

  Series series_of(const kube::ApiCall& call);
  Series make(const kube::ApiCall& call);

  metrics::Registry& registry_;
  std::mutex mutex_;
  // By verb and code: to find them by their labels costs more than to count. Guarded by mutex_.
  std::map<std::pair<std::string, int>, Series> known_;
};

}  // namespace pgc
