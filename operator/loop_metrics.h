// What Prometheus may ask the loop, under the names that controller-runtime and client-go use where
// they have one, so that dashboards and alerts made for them fit (docs/operator.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/work_queue.h"
#include "shared/kube/reflector.h"
#include "shared/metrics/metrics.h"

namespace pgc {

// Safe from several threads. `registry` must outlive it.
class LoopMetrics {
 public:
  LoopMetrics(metrics::Registry& registry, const std::vector<kube::ResourceType>& types);

  enum class Result { kSuccess, kRequeueAfter, kError, kTerminalError };

  void woken() { adds_.add(); }
  void taken(std::chrono::nanoseconds waited);
  void ended(Result result, std::chrono::nanoseconds took);
  void retried() { retries_.add(); }
  void watch_began(const kube::ResourceType& type, kube::ReflectorHooks::Beginning beginning);
  void watch_failed(const kube::ResourceType& type);
  void set_workers(int workers) { workers_.set(static_cast<double>(workers)); }
  // These make no new series, so they may be called from Registry::before_text().
  void set_depth(std::size_t depth) { depth_.set(static_cast<double>(depth)); }
  void set_sizes(const std::map<kube::ResourceType, kube::Cache::Size>& sizes);

 private:
  metrics::Registry& registry_;
  metrics::Gauge& depth_;
  metrics::Counter& adds_;
  metrics::Counter& retries_;
  metrics::Histogram& waited_;
  metrics::Histogram& worked_;
  metrics::Gauge& active_;
  metrics::Gauge& workers_;
  metrics::Histogram& took_;
  metrics::Counter& errors_;
  metrics::Counter& terminal_errors_;
  struct SizeGauges {
    metrics::Gauge& objects;
    metrics::Gauge& bytes;
  };
  std::map<kube::ResourceType, SizeGauges> sizes_;  // constant after construction
};

}  // namespace pgc
