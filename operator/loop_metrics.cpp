#include "operator/loop_metrics.h"

namespace pgc {
namespace {

using metrics::Labels;

const Labels kQueue{{"name", "postgrescluster"}};
const Labels kController{{"controller", "postgrescluster"}};
// 10 microseconds to 1,000 seconds, as the work queue of client-go has it.
const std::vector<double> kQueueBounds{1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
const std::vector<double> kTurnBounds{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60};

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

const char* name_of(LoopMetrics::Result result) {
  switch (result) {
    case LoopMetrics::Result::kSuccess:
      return "success";
    case LoopMetrics::Result::kRequeueAfter:
      return "requeue_after";
    default:
      return "error";
  }
}

metrics::Counter& turns(metrics::Registry& registry, LoopMetrics::Result result) {
  return registry.counter("controller_runtime_reconcile_total", "Turns of the loop by result.",
                          {{"controller", "postgrescluster"}, {"result", name_of(result)}});
}

Labels resource(const kube::ResourceType& type) {
  return {{"resource", std::string(type.plural)}};
}

}  // namespace

LoopMetrics::LoopMetrics(metrics::Registry& registry, const std::vector<kube::ResourceType>& types)
    : registry_(registry),
      depth_(registry.gauge("workqueue_depth", "Clusters that wait for a worker.", kQueue)),
      adds_(registry.counter("workqueue_adds_total", "How often a cluster was woken.", kQueue)),
      retries_(
          registry.counter("workqueue_retries_total", "Turns that failed and come again.", kQueue)),
      waited_(registry.histogram("workqueue_queue_duration_seconds",
                                 "How long a cluster waited for a worker.", kQueueBounds, kQueue)),
      worked_(registry.histogram("workqueue_work_duration_seconds",
                                 "How long a worker had a cluster.", kQueueBounds, kQueue)),
      active_(registry.gauge("controller_runtime_active_workers", "Workers that are at work.",
                             kController)),
      workers_(
          registry.gauge("controller_runtime_max_concurrent_reconciles", "Workers.", kController)),
      took_(registry.histogram("controller_runtime_reconcile_time_seconds",
                               "How long a turn of the loop took.", kTurnBounds, kController)),
      errors_(registry.counter("controller_runtime_reconcile_errors_total",
                               "Turns that failed, for now or for good.", kController)),
      terminal_errors_(registry.counter("controller_runtime_terminal_reconcile_errors_total",
                                        "Turns that failed with an error that no retry cures.",
                                        kController)) {
  for (const Result result : {Result::kSuccess, Result::kRequeueAfter, Result::kError}) {
    turns(registry, result);
  }
  for (const kube::ResourceType& type : types) {
    sizes_.emplace(
        type,
        SizeGauges{registry.gauge("pgc_cache_objects", "Objects in the cache.", resource(type)),
                   registry.gauge("pgc_cache_bytes", "Bytes of the objects in the cache.",
                                  resource(type))});
  }
}

void LoopMetrics::taken(std::chrono::nanoseconds waited) {
  waited_.observe(seconds(waited));
  active_.add(1);
}

void LoopMetrics::ended(Result result, std::chrono::nanoseconds took) {
  active_.add(-1);
  worked_.observe(seconds(took));
  took_.observe(seconds(took));
  turns(registry_, result).add();
  if (result == Result::kError || result == Result::kTerminalError) errors_.add();
  if (result == Result::kTerminalError) terminal_errors_.add();
}

void LoopMetrics::watch_began(const kube::ResourceType& type,
                              kube::ReflectorHooks::Beginning beginning) {
  const bool list = beginning == kube::ReflectorHooks::Beginning::kList;
  registry_
      .counter(list ? "pgc_watch_lists_total" : "pgc_watch_restarts_total",
               list ? "How often everything of a type was listed."
                    : "How often a watch went on where one had ended.",
               resource(type))
      .add();
}

void LoopMetrics::watch_failed(const kube::ResourceType& type) {
  registry_.counter("pgc_watch_errors_total", "Lists and watches that failed.", resource(type))
      .add();
}

void LoopMetrics::set_sizes(const std::map<kube::ResourceType, kube::Cache::Size>& sizes) {
  for (const auto& [type, size] : sizes) {
    const auto gauges = sizes_.find(type);
    if (gauges == sizes_.end()) continue;
    gauges->second.objects.set(static_cast<double>(size.objects));
    gauges->second.bytes.set(static_cast<double>(size.bytes));
  }
}

}  // namespace pgc
