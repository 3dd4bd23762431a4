#include "shared/kube/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <vector>

#include "shared/x509/handles.h"

namespace pgc::kube {
namespace {

Error refuse(std::string message) {
  return {.kind = ErrorKind::kConfiguration, .message = std::move(message)};
}

SSL_CTX* context_of(const httplib::SSLClient& client) {
  return static_cast<SSL_CTX*>(client.tls_context());
}

std::string names_of(X509* certificate) {
  std::vector<httplib::tls::SanEntry> entries;
  httplib::tls::get_cert_sans(certificate, entries);
  std::string names;
  for (const auto& entry : entries) names += (names.empty() ? "" : ", ") + entry.value;
  return names;
}

// In the words of Go's crypto/x509, which kubectl prints.
std::string verification_problem(long code) {
  switch (code) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return "certificate signed by unknown authority";
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "certificate has expired or is not yet valid";
    default:
      return X509_verify_cert_error_string(code);
  }
}

std::string name_problem(X509* certificate, const std::string& name) {
  if (httplib::tls::verify_hostname(certificate, name.c_str())) return "";
  const std::string names = names_of(certificate);
  if (names.empty()) return "certificate has no names, and so not " + name;
  return "certificate is valid for " + names + ", not " + name;
}

std::string problem_of(const SSL* session, const std::string& name) {
  const x509::CertificateHandle certificate(SSL_get1_peer_certificate(session));
  if (!certificate) return "the server has no certificate";
  if (const long code = SSL_get_verify_result(session); code != X509_V_OK) {
    return verification_problem(code);
  }
  return name_problem(certificate.get(), name);
}

httplib::SSLVerifierResponse verify(const SSL* session, TlsCheck& check) {
  check.problem.clear();
  if (check.insecure) return httplib::SSLVerifierResponse::CertificateAccepted;
  const std::string problem = problem_of(session, check.name);
  if (problem.empty()) return httplib::SSLVerifierResponse::CertificateAccepted;
  check.problem = "tls: failed to verify certificate: x509: " + problem;
  return httplib::SSLVerifierResponse::CertificateRejected;
}

// Called before the ClientHello is made. httplib has named the host there, which is not the name
// that is wanted where a tls-server-name is set.
void set_server_name(const SSL* session, int where, int /*value*/) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0) return;
  const auto* check =
      static_cast<const TlsCheck*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0));
  const bool address = httplib::detail::is_ip_address(check->name);
  SSL_ctrl(const_cast<SSL*>(session), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           address ? nullptr : const_cast<char*>(check->name.c_str()));
}

}  // namespace

Result<void> use_client_certificate(httplib::SSLClient& client, const std::string& certificates) {
  // The first, and whether the key fits, httplib has seen to.
  if (!client.is_valid()) {
    return std::unexpected(refuse("the client certificate and its key cannot be used together"));
  }
  auto chain = x509::read_certificates(certificates);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    SSL_CTX_add1_chain_cert(context_of(client), chain[i].get());
  }
  return {};
}

Result<void> trust(httplib::SSLClient& client, const std::string& pem) {
  if (x509::read_certificates(pem).empty()) {
    return std::unexpected(
        refuse("unable to load root certificates: there is no certificate in the "
               "certificate-authority"));
  }
  client.load_ca_cert_store(pem.data(), pem.size());
  return {};
}

void guard(httplib::SSLClient& client, TlsCheck& check) {
  client.enable_server_certificate_verification(!check.insecure);
  client.set_session_verifier([&check](httplib::tls::session_t session) {
    return verify(static_cast<const SSL*>(session), check);
  });
  SSL_CTX_set_ex_data(context_of(client), 0, &check);
  SSL_CTX_set_info_callback(context_of(client), set_server_name);
}

std::string handshake_error(unsigned long code) {
  const char* reason = ERR_reason_error_string(code);
  if (reason == nullptr) return "tls: the handshake failed: the connection was closed";
  const std::string_view text = reason;
  if (text == "wrong version number" || text == "http request" ||
      text == "packet length too long") {
    return "http: server gave HTTP response to HTTPS client";
  }
  return "tls: the handshake failed: " + std::string(text);
}

}  // namespace pgc::kube
