// Where the webhook's certificate comes from: the Secret that the operator keeps, read through the
// API, or a folder that something else keeps (cert-manager, a mounted Secret). And the loop that
// looks there again and again.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <stop_token>
#include <string>

#include "shared/kube/client.h"
#include "shared/log/log.h"
#include "webhook/hook_metrics.h"
#include "webhook/serving_certificate.h"

namespace pgc::webhook {

// Reads the present files; the error says where they are missing and what would be right.
using CertificateSource = std::function<std::expected<PemFiles, std::string>()>;

// `reader` must outlive the source.
CertificateSource from_secret(kube::Reader& reader, std::string ns, std::string name);
// tls.crt, tls.key and ca.crt of a folder. Where the kubelet keeps it, all three come from the same
// generation: it swaps one symbolic link for all of them.
CertificateSource from_directory(std::string directory);

// Looks after a certificate: offers what the source has, again and again. Whatever the source has,
// the last good pair goes on.
class CertificateKeeper {
 public:
  // Told once of each new reason why there is nothing usable; it holds no key.
  using Report = std::function<void(const std::string& reason)>;

  // The references must outlive this.
  CertificateKeeper(CertificateSource source, ServingCertificate& certificate, const Log& log,
                    CertificateMetrics metrics, Report report);

  // One look. False where there is nothing usable, or where that has expired.
  bool look(std::chrono::sys_seconds now);
  // Looks until `stop`, with growing pauses while nothing is usable. A get of one object every few
  // seconds is so cheap that no watch is kept open for it.
  void run(std::chrono::milliseconds look_again, std::stop_token stop);

 private:
  std::string failure_of_look(std::chrono::sys_seconds now);

  const CertificateSource source_;
  ServingCertificate& certificate_;
  const Log& log_;
  const CertificateMetrics metrics_;
  const Report report_;
  std::string last_failure_;
};

}  // namespace pgc::webhook
