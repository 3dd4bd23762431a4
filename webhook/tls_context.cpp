#include "webhook/tls_context.h"

namespace pgc::webhook {

namespace {

// TLS 1.2 with forward secrecy and authenticated encryption alone; all of 1.3 is that.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

int use_current_certificate(SSL* handshake, void* certificate) {
  return static_cast<const ServingCertificate*>(certificate)->apply_to(handshake) ? 1 : 0;
}

bool require_client_certificate(SSL_CTX* context, const std::string& ca_pem) {
  const auto roots = x509::read_certificates(ca_pem);
  for (const auto& root : roots) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root.get());
    SSL_CTX_add_client_CA(context, root.get());
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return !roots.empty();
}

// No resumption: it would outlive a change of certificate, and is of no use between two replicas.
void forbid_resumption(SSL_CTX* context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context, 0);
}

}  // namespace

std::expected<ContextHandle, std::string> tls_context(const ServingCertificate& certificate,
                                                      const std::string& client_ca_pem) {
  ContextHandle context(SSL_CTX_new(TLS_server_method()));
  if (!context) return std::unexpected("TLS cannot be set up: " + x509::last_error());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context.get(), kCiphers);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_AUTO_RETRY |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context.get(), 1);  // a record by one system call instead of two
  forbid_resumption(context.get());
  // The certificate is chosen in each handshake; the callback's argument is only read.
  SSL_CTX_set_cert_cb(context.get(), use_current_certificate,
                      const_cast<ServingCertificate*>(&certificate));
  if (!client_ca_pem.empty() && !require_client_certificate(context.get(), client_ca_pem)) {
    return std::unexpected("TLS cannot be set up: the client CA holds no certificate in PEM form");
  }
  return context;
}

}  // namespace pgc::webhook
