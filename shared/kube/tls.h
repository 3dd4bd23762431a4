// What TLS to the API server needs beyond cpp-httplib: whole chains, a name that is not the host's,
// and errors that say which of them it was. Internal to connection.cpp; over OpenSSL.
#pragma once

#include <httplib.h>

#include <memory>
#include <string>

#include "shared/kube/error.h"

namespace pgc::kube {

// What the server is checked against, and what was wrong with it. Must outlive the client that is
// guarded by it.
struct TlsCheck {
  std::string name;  // a host name or an address
  bool insecure = false;
  std::string problem = {};  // of the last handshake, in Go's words; empty: none
};

// The first certificate is ours, those behind it lead to a root. kConfiguration where they are
// none, or the key belongs to another.
Result<void> use_client_certificate(httplib::SSLClient& client, const std::string& certificates);

// kConfiguration where there is no certificate in `pem`.
Result<void> trust(httplib::SSLClient& client, const std::string& pem);

// Checks the server by `check`, and asks it for `check.name`.
void guard(httplib::SSLClient& client, TlsCheck& check);

// What a handshake died of; `code` is OpenSSL's.
std::string handshake_error(unsigned long code);

}  // namespace pgc::kube
