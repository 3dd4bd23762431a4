// TLS to the API server, over OpenSSL: whole chains, a name that is not the host's, and errors that
// say which of them it was. Internal to connection.cpp.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "shared/kube/error.h"
#include "shared/kube/wire.h"
#include "shared/x509/handles.h"

namespace pgc::kube {

using TlsContext = std::unique_ptr<SSL_CTX, x509::Freeing<SSL_CTX_free>>;
using TlsSession = std::unique_ptr<SSL, x509::Freeing<SSL_free>>;

// Who we are and whom we trust. `ca` empty: the system's roots; `certificates` empty: nobody, else
// the first is ours and those behind it lead to a root. kConfiguration where they can't be used.
Result<TlsContext> make_tls_context(const std::string& ca, const std::string& certificates,
                                    const std::string& key);

// What the server is checked against.
struct TlsCheck {
  std::string name;  // a host name or an address
  bool insecure = false;
};

struct TlsFailure {
  bool late = false;
  std::string message;  // in Go's words
};

class TlsWire final : public Wire {
 public:
  // Shakes hands over `tcp`, and checks the server.
  static std::expected<std::unique_ptr<TlsWire>, TlsFailure> open(SSL_CTX* context,
                                                                  const TlsCheck& check,
                                                                  std::unique_ptr<TcpWire> tcp,
                                                                  Deadline deadline);
  ~TlsWire() override;

  std::expected<std::size_t, WireProblem> read(char* to, std::size_t size,
                                               Deadline deadline) override;
  std::expected<void, WireProblem> write(std::string_view bytes, Deadline deadline) override;
  bool stale() override;
  bool ready() const override;

 private:
  TlsWire(TlsSession session, std::unique_ptr<TcpWire> tcp)
      : tcp_(std::move(tcp)), session_(std::move(session)) {}
  std::expected<void, TlsFailure> shake_hands(Deadline deadline);
  std::expected<void, WireProblem> wait(int error, Deadline deadline) const;
  std::unexpected<WireProblem> given_up(WireProblem problem);

  const std::unique_ptr<TcpWire> tcp_;
  const TlsSession session_;
  bool fine_ = true;    // the stream may be ended properly
  bool asked_ = false;  // the next thing to happen is that the peer answers
};

}  // namespace pgc::kube
