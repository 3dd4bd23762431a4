#include "webhook/hook_metrics.h"

namespace pgc::webhook {

namespace {

constexpr const char* kRequests = "controller_runtime_webhook_requests_total";
constexpr const char* kRequestsHelp = "Total number of admission requests by HTTP status code.";
constexpr const char* kReviews = "pgc_webhook_reviews_total";
constexpr const char* kReviewsHelp = "Reviews by verdict.";
constexpr const char* kEnded = "pgc_webhook_connections_ended_total";
constexpr const char* kEndedHelp = "Connections that did not end in peace, by reason.";

// controller-runtime's: from 10 ns to 1000 s, each ten times the one before.
const std::vector<double> kLatencyBounds = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                            1e-2, 1e-1, 1,    10,   100,  1000};

}  // namespace

HookMetrics hook_metrics(metrics::Registry& registry, const std::string& path) {
  const metrics::Labels of_path{{"webhook", path}};
  requests_without_review(registry, path, 500);  // there from the start, so that a rate has a zero
  return {
      .latency = registry.histogram("controller_runtime_webhook_latency_seconds",
                                    "Histogram of the latency of processing admission requests.",
                                    kLatencyBounds, of_path),
      .in_flight = registry.gauge("controller_runtime_webhook_requests_in_flight",
                                  "Current number of admission requests being served.", of_path),
      .ok = registry.counter(kRequests, kRequestsHelp, {{"code", "200"}, {"webhook", path}}),
      .panics = registry.counter("controller_runtime_webhook_panics_total",
                                 "Total number of reviews that failed by a defect of ours."),
      .allowed =
          registry.counter(kReviews, kReviewsHelp, {{"verdict", "allowed"}, {"webhook", path}}),
      .refused =
          registry.counter(kReviews, kReviewsHelp, {{"verdict", "refused"}, {"webhook", path}})};
}

metrics::Counter& requests_without_review(metrics::Registry& registry, const std::string& path,
                                          int status) {
  return registry.counter(
      kRequests, kRequestsHelp,
      {{"code", std::to_string(status)}, {"webhook", path.empty() ? "none" : path}});
}

ConnectionMetrics connection_metrics(metrics::Registry& registry) {
  const auto ended = [&](const char* reason) -> metrics::Counter& {
    return registry.counter(kEnded, kEndedHelp, {{"reason", reason}});
  };
  return {.handshakes_failed = ended("handshake_failed"),
          .late = ended("late"),
          .not_understood = ended("not_understood"),
          .crowded_out = ended("crowded_out")};
}

CertificateMetrics certificate_metrics(metrics::Registry& registry) {
  return {.reads = registry.counter("certwatcher_read_certificate_total",
                                    "Total number of times the certificate was read."),
          .errors = registry.counter("certwatcher_read_certificate_errors_total",
                                     "Total number of times that gave nothing usable."),
          .expires = registry.gauge("pgc_webhook_certificate_not_after_timestamp_seconds",
                                    "When the certificate in use expires.")};
}

}  // namespace pgc::webhook
