#include "shared/kube/tls.h"

#include <httplib.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <utility>
#include <vector>

namespace pgc::kube {
namespace {

// Two records of TLS.
constexpr std::size_t kReadAhead = std::size_t{34} << 10;

Error refuse(std::string message) {
  return {.kind = ErrorKind::kConfiguration, .message = std::move(message)};
}

Result<void> trust(SSL_CTX* context, const std::string& pem) {
  if (pem.empty()) {
    httplib::tls::load_system_certs(context);
    return {};
  }
  const auto roots = x509::read_certificates(pem);
  if (roots.empty()) {
    return std::unexpected(
        refuse("unable to load root certificates: there is no certificate in the "
               "certificate-authority"));
  }
  for (const auto& root : roots) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root.get());
  }
  return {};
}

Result<void> show(SSL_CTX* context, const std::string& certificates, const std::string& key) {
  if (certificates.empty()) return {};
  const auto chain = x509::read_certificates(certificates);
  const auto own = x509::read_key(key);
  const bool fits = !chain.empty() && own &&
                    SSL_CTX_use_certificate(context, chain[0].get()) == 1 &&
                    SSL_CTX_use_PrivateKey(context, own.get()) == 1;
  if (!fits) {
    return std::unexpected(refuse("the client certificate and its key cannot be used together"));
  }
  for (std::size_t i = 1; i < chain.size(); ++i) SSL_CTX_add1_chain_cert(context, chain[i].get());
  return {};
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

// SSL_get_error() wants to find no old error. Almost never is there one, and to look is cheap.
void forget_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
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

}  // namespace

Result<TlsContext> make_tls_context(const std::string& ca, const std::string& certificates,
                                    const std::string& key) {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
  // One read(2) for a record with its head, and for as many as have come.
  SSL_CTX_set_read_ahead(context.get(), 1);
  SSL_CTX_set_default_read_buffer_len(context.get(), kReadAhead);
  // The certificate is checked after the handshake, where it can be told what is wrong with it.
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  if (auto shown = show(context.get(), certificates, key); !shown) {
    return std::unexpected(shown.error());
  }
  if (auto trusted = trust(context.get(), ca); !trusted) return std::unexpected(trusted.error());
  return context;
}

// --- TlsWire ---

std::expected<std::unique_ptr<TlsWire>, TlsFailure> TlsWire::open(SSL_CTX* context,
                                                                  const TlsCheck& check,
                                                                  std::unique_ptr<TcpWire> tcp,
                                                                  Deadline deadline) {
  TlsSession session(SSL_new(context));
  SSL_set_fd(session.get(), tcp->socket());
  if (!httplib::detail::is_ip_address(check.name)) {
    SSL_ctrl(session.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(check.name.c_str()));
  }
  std::unique_ptr<TlsWire> wire(new TlsWire(std::move(session), std::move(tcp)));
  if (auto shaken = wire->shake_hands(deadline); !shaken) return std::unexpected(shaken.error());
  const std::string problem = check.insecure ? "" : problem_of(wire->session_.get(), check.name);
  if (problem.empty()) return wire;
  return std::unexpected(
      TlsFailure{.late = false, .message = "tls: failed to verify certificate: x509: " + problem});
}

std::expected<void, TlsFailure> TlsWire::shake_hands(Deadline deadline) {
  for (;;) {
    forget_errors();
    const int done = SSL_connect(session_.get());
    if (done == 1) return {};
    const int error = SSL_get_error(session_.get(), done);
    const auto waited = wait(error, deadline);
    if (waited) continue;
    fine_ = false;
    if (waited.error() == WireProblem::kLate)
      return std::unexpected(TlsFailure{.late = true, .message = {}});
    return std::unexpected(TlsFailure{.late = false, .message = handshake_error(ERR_peek_error())});
  }
}

// Until what OpenSSL waits for has come; its other errors end the session.
std::expected<void, WireProblem> TlsWire::wait(int error, Deadline deadline) const {
  if (error == SSL_ERROR_WANT_READ) return tcp_->wait(TcpWire::For::kRead, deadline);
  if (error == SSL_ERROR_WANT_WRITE) return tcp_->wait(TcpWire::For::kWrite, deadline);
  const bool ended = error == SSL_ERROR_ZERO_RETURN;
  return std::unexpected(ended ? WireProblem::kEnded : WireProblem::kLost);
}

// Of a stream that broke not even the end is sent.
std::unexpected<WireProblem> TlsWire::given_up(WireProblem problem) {
  fine_ = problem != WireProblem::kLost;
  return std::unexpected(problem);
}

TlsWire::~TlsWire() {
  forget_errors();
  if (fine_) SSL_shutdown(session_.get());
}

std::expected<std::size_t, WireProblem> TlsWire::read(char* to, std::size_t size,
                                                      Deadline deadline) {
  if (std::exchange(asked_, false) && SSL_has_pending(session_.get()) == 0) {
    const auto begun = tcp_->wait(TcpWire::For::kRead, deadline);
    if (!begun) return given_up(begun.error());
  }
  for (;;) {
    forget_errors();
    std::size_t got = 0;
    const int done = SSL_read_ex(session_.get(), to, size, &got);
    if (done == 1) return got;
    const auto waited = wait(SSL_get_error(session_.get(), done), deadline);
    if (waited) continue;
    return given_up(waited.error());
  }
}

std::expected<void, WireProblem> TlsWire::write(std::string_view bytes, Deadline deadline) {
  asked_ = true;
  while (!bytes.empty()) {
    forget_errors();
    std::size_t sent = 0;
    const int done = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &sent);
    if (done == 1) {
      bytes.remove_prefix(sent);
      continue;
    }
    const auto waited = wait(SSL_get_error(session_.get(), done), deadline);
    if (waited) continue;
    return given_up(waited.error());
  }
  return {};
}

// A TLS 1.3 server hands out tickets when it likes, which are no answer.
bool TlsWire::stale() {
  if (!ready()) return false;
  forget_errors();
  char byte = 0;
  std::size_t got = 0;
  const int done = SSL_peek_ex(session_.get(), &byte, 1, &got);
  return done == 1 || SSL_get_error(session_.get(), done) != SSL_ERROR_WANT_READ;
}

bool TlsWire::ready() const {
  return SSL_has_pending(session_.get()) == 1 || tcp_->ready();
}

}  // namespace pgc::kube
