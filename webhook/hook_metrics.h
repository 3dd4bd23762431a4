// What is counted about the hooks and their connections. The names are controller-runtime's where
// it has one, so that dashboards made for it show us too; ours begin with pgc_webhook_.
#pragma once

#include <map>
#include <string>

#include "shared/metrics/metrics.h"

namespace pgc::webhook {

// Of one path.
struct HookMetrics {
  metrics::Histogram& latency;
  metrics::Gauge& in_flight;
  metrics::Counter& ok;  // requests answered with an AdmissionReview
  metrics::Counter& panics;
  metrics::Counter& allowed;
  metrics::Counter& refused;
};

HookMetrics hook_metrics(metrics::Registry& registry, const std::string& path);

// Requests that got no review for an answer. `path` is one of ours, or empty: what a peer makes up
// must not become a label.
metrics::Counter& requests_without_review(metrics::Registry& registry, const std::string& path,
                                          int status);

struct ConnectionMetrics {
  metrics::Counter& handshakes_failed;
  metrics::Counter& late;
  metrics::Counter& not_understood;
  metrics::Counter& crowded_out;
};

ConnectionMetrics connection_metrics(metrics::Registry& registry);

// What the loop that looks after the certificate counts (certwatcher's names), and how long the
// certificate is good for.
struct CertificateMetrics {
  metrics::Counter& reads;
  metrics::Counter& errors;
  metrics::Gauge& expires;  // seconds since the epoch; 0: there is none yet
};

CertificateMetrics certificate_metrics(metrics::Registry& registry);

}  // namespace pgc::webhook
