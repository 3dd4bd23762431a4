// How the server speaks TLS: 1.2 or newer, no HTTP/2, a certificate chosen in each handshake, and
// clients' certificates where they are asked for. For server.cpp.
#pragma once

#include <openssl/ssl.h>

#include <expected>
#include <memory>
#include <string>

#include "shared/x509/handles.h"
#include "webhook/serving_certificate.h"

namespace pgc::webhook {

using ContextHandle = std::unique_ptr<SSL_CTX, x509::Freeing<SSL_CTX_free>>;

// `certificate` must outlive the context. `client_ca_pem`: empty, or the CAs of which a client must
// show a certificate.
std::expected<ContextHandle, std::string> tls_context(const ServingCertificate& certificate,
                                                      const std::string& client_ca_pem);

}  // namespace pgc::webhook
