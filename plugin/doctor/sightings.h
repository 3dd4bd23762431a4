// What `kubectl pgc doctor` looks at: every hop between the API server and the webhook, and the
// operator. Reads and dry runs only.
#pragma once

#include <string>

#include "shared/kube/client.h"

namespace pgc::plugin {

// As it was seen, or why it was not. A person may not be allowed to read everything.
struct Sightings {
  kube::Result<kube::Object> crd;
  kube::Result<kube::Object> mutating;
  kube::Result<kube::Object> validating;
  kube::Result<kube::Object> service;
  kube::Result<kube::ObjectList> endpoints;  // the EndpointSlices of the Service
  kube::Result<kube::Object> webhook;        // its Deployment
  kube::Result<kube::ObjectList> pods;       // of the webhook
  kube::Result<kube::Object> certificate;    // the Secret of the webhook
  kube::Result<kube::Object> good;           // a dry run of a cluster that all must accept
  kube::Result<kube::Object> bad;            // one of a cluster that only the webhook refuses
  kube::Result<kube::Object> deletion_policy;
  kube::Result<kube::Object> deletion_binding;
  kube::Result<kube::Object> operator_;  // its Deployment
  kube::Result<kube::Object> lease;
};

// `ns` is where the two clusters of the dry runs would be.
Sightings look(const std::string& ns, kube::Client& client);

// What `bad` sets, and what the webhook says about it.
inline constexpr const char* kForbiddenField = "spec.postgresql.parameters.port";

}  // namespace pgc::plugin
