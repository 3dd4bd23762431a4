#include "operator/call_metrics.h"

namespace pgc {

void CallMetrics::count(const kube::ApiCall& call) {
  const Series series = series_of(call);
  series.calls->add();
  series.time->observe(call.time.count());
}

CallMetrics::Series CallMetrics::series_of(const kube::ApiCall& call) {
  const std::lock_guard lock(mutex_);
  Series& series = known_[{std::string(call.verb), call.code}];
  if (series.calls == nullptr) series = make(call);
  return series;
}

CallMetrics::Series CallMetrics::make(const kube::ApiCall& call) {
  static const std::vector<double> bounds{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30};
  const std::string verb(call.verb);
  const std::string code = call.code == 0 ? "<error>" : std::to_string(call.code);
  return {.calls = &registry_.counter("rest_client_requests_total",
                                      "Calls of the API server by verb and code.",
                                      {{"code", code}, {"method", verb}}),
          .time = &registry_.histogram("rest_client_request_duration_seconds",
                                       "How long calls took, by verb.", bounds, {{"verb", verb}})};
}

}  // namespace pgc
