// The words are those of k8s.io/apiserver (admission/plugin/webhook) around what Go's net, tls and
// x509 say.
#include "plugin/doctor/failed_call.h"

#include <algorithm>
#include <array>

namespace pgc::plugin {
namespace {

struct Known {
  std::string_view words;
  std::string_view remedy;
};

// The first that fits counts: the particular stand before the general.
constexpr std::array kKnown = {
    Known{"x509: certificate signed by unknown authority",
          "the caBundle of the webhook configuration is not the CA of the webhook's certificate; "
          "does something else write the caBundle (GitOps), or does the operator not run?"},
    Known{"x509: certificate has expired",
          "the webhook's certificate has run out; does the operator run, is the time of the nodes "
          "right?"},
    Known{"x509: certificate is valid for",
          "the certificate is for another name; it must be for pgc-webhook.pgc-system.svc"},
    Known{"x509:", "look at the certificate in Secret pgc-system/pgc-webhook-tls"},
    Known{"tls: certificate required",
          "the webhook asks for a client certificate (--client-ca) and the API server shows none; "
          "give it one in its AdmissionConfiguration, or start the webhook without --client-ca"},
    Known{"tls: bad certificate",
          "the webhook does not take the API server's client certificate; compare it with the CA "
          "of --client-ca"},
    Known{"server gave HTTP response to HTTPS client",
          "something without TLS answers behind the Service; look at its selector and port"},
    Known{"no endpoints available",
          "no pod of the webhook is ready: kubectl -n pgc-system get pods -l "
          "app.kubernetes.io/name=pgc-webhook"},
    Known{"service \"",
          "the Service pgc-system/pgc-webhook is missing: kubectl apply -k manifests"},
    Known{"no such host",
          "the API server cannot resolve the webhook's name; a url in clientConfig must be known "
          "to the DNS of the control plane's host"},
    Known{"connection refused",
          "nothing listens where the Service leads: do its targetPort and the webhook's --port "
          "agree?"},
    Known{"no route to host",
          "the control plane's host has no way to the pods; it needs one, or the webhook "
          "hostNetwork"},
    Known{"network is unreachable",
          "the control plane's host has no way to the pods; it needs one, or the webhook "
          "hostNetwork"},
    Known{"context deadline exceeded",
          "no answer in time: a firewall or NetworkPolicy between the control plane and port 9443 "
          "of the webhook's pods (private clusters need a rule for it), or pods without CPU"},
    Known{"i/o timeout",
          "no answer in time: a firewall or NetworkPolicy between the control plane and port 9443 "
          "of the webhook's pods (private clusters need a rule for it)"},
    Known{"could not find the requested resource",
          "another program answers, or the path in clientConfig is wrong"},
    Known{"invalid webhook response",
          "what answers is not pgc-webhook of this version; look at the Service's selector"},
    Known{"response was absent",
          "what answers is not pgc-webhook of this version; look at the Service's selector"},
};

constexpr std::string_view kElse =
    "look at the webhook's log: kubectl -n pgc-system logs deployment/pgc-webhook";

std::string quoted_after(std::string_view text, std::string_view before) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  return std::string(text.substr(0, text.find('"')));
}

// What stands behind the URL, or behind the webhook's name where there is none.
std::string_view cause_in(std::string_view message) {
  for (const std::string_view before : {"?timeout=", "failed to call webhook: ", "\": "}) {
    const std::size_t begin = message.find(before);
    if (begin == std::string_view::npos) continue;
    message.remove_prefix(begin + before.size());
    if (before == "?timeout=") message.remove_prefix(std::min(message.size(), message.find(": ")));
    if (message.starts_with(": ")) message.remove_prefix(2);
    return message;
  }
  return message;
}

}  // namespace

std::optional<FailedCall> failed_call(std::string_view message) {
  const std::string webhook = quoted_after(message, "failed calling webhook \"");
  if (webhook.empty()) return std::nullopt;
  FailedCall call{webhook, std::string(cause_in(message)), std::string(kElse)};
  for (const Known& known : kKnown) {
    if (message.find(known.words) == std::string_view::npos) continue;
    call.remedy = known.remedy;
    break;
  }
  return call;
}

}  // namespace pgc::plugin
