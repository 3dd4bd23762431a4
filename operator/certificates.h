// Keeps the webhook's certificates: a CA (Secret pgc-webhook-ca, read by the operator alone), a
// leaf (Secret pgc-webhook-tls, read by the webhook), and the CA bundle in both webhook
// configurations.
//
// For the operator's leader alone. What to do is decided by certificates_plan.h; this reads, makes
// the bytes, and writes. Every write of a Secret names the resourceVersion it was decided on, so
// that of two leaders one fails with kConflict and looks again. Nothing is kept between calls.
#pragma once

#include <chrono>
#include <string>

#include "operator/certificates_plan.h"
#include "shared/kube/client.h"
#include "shared/log/log.h"

namespace pgc {

class WebhookCertificates {
 public:
  struct Options {
    std::string ns = "pgc-system";
    std::string service = "pgc-webhook";
    std::string ca_secret = "pgc-webhook-ca";
    std::string leaf_secret = "pgc-webhook-tls";
    std::string mutating_configuration = "pgc-webhook";
    std::string validating_configuration = "pgc-webhook";
  };

  // `client` and `log` must outlive this.
  WebhookCertificates(kube::Client& client, Options options, const Log& log);

  // Does what is due. Returns when to call again; after an error, call again with a growing pause.
  kube::Result<std::chrono::seconds> reconcile(std::chrono::sys_seconds now);

 private:
  struct Seen;
  kube::Result<Seen> observe();
  kube::Result<void> execute(const certificates::Step& step, const Seen& seen, x509::Time now);
  kube::Result<void> make_ca(const certificates::MakeCa& step, const Seen& seen, x509::Time now);
  kube::Result<void> issue_leaf(const certificates::IssueLeaf& step, const Seen& seen);
  kube::Result<void> publish(const certificates::PublishBundle& step);
  kube::Result<void> write_secret(const std::string& name, const kube::Object* before,
                                  const kube::Json& data);
  std::string server_name() const;

  kube::Client& client_;
  const Options options_;
  const Log& log_;
};

}  // namespace pgc
