#include "webhook/health.h"

#include <openssl/ssl.h>

#include "shared/x509/handles.h"

namespace pgc::webhook {

namespace {

using ContextHandle = std::unique_ptr<SSL_CTX, x509::Freeing<SSL_CTX_free>>;

constexpr int kDialSeconds = 2;
constexpr int kDialNapMilliseconds = 20;

ContextHandle client_context(const std::string& ca_pem) {
  ContextHandle context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  for (const auto& root : x509::read_certificates(ca_pem)) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), root.get());
  }
  return context;
}

std::string host_and_port(const std::string& address, int port) {
  const bool ipv6 = address.find(':') != std::string::npos;
  return (ipv6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

std::string why(const SSL* session) {
  const long verified = SSL_get_verify_result(session);
  if (verified != X509_V_OK) return X509_verify_cert_error_string(verified);
  return x509::last_error();
}

}  // namespace

std::expected<void, std::string> dial(const std::string& address, int port,
                                      const std::string& server_name, const std::string& ca_pem) {
  const ContextHandle context = client_context(ca_pem);
  const x509::BioHandle connection(BIO_new_ssl_connect(context.get()));
  SSL* session = nullptr;
  BIO_get_ssl(connection.get(), &session);
  if (session == nullptr) return std::unexpected("TLS: " + x509::last_error());
  std::string sni =
      server_name;  // OpenSSL's macro for this casts away const, so call what is behind it
  SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, sni.data());
  SSL_set1_host(session, server_name.c_str());
  BIO_set_conn_hostname(connection.get(), host_and_port(address, port).c_str());
  if (BIO_do_connect_retry(connection.get(), kDialSeconds, kDialNapMilliseconds) == 1) return {};
  return std::unexpected(host_and_port(address, port) + " as " + server_name + ": " + why(session));
}

Health::Health(const ServingCertificate& certificate, const metrics::Registry& registry,
               std::string address, int webhook_port)
    : certificate_(certificate),
      address_(std::move(address)),
      webhook_port_(webhook_port),
      server_({.ready = [this] { return ready(); },
               .metrics = [&registry] { return registry.text(); },
               .explain = {}}) {}

std::expected<void, std::string> Health::ready() const {
  if (leaving_) return std::unexpected("the process is ending");
  if (certificate_.serial().empty()) return std::unexpected("no certificate yet");
  return dial(address_, webhook_port_, certificate_.server_name(), certificate_.ca());
}

}  // namespace pgc::webhook
