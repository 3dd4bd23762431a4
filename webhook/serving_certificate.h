// The certificate that the webhook shows, exchangeable while it serves.
//
// An offered pair replaces the current one only if it is whole: the key fits, and the chain leads
// to the CA that comes with it, for the name the API server asks for, now. So a half-written or
// mixed-up pair never reaches a handshake, and the last good one stays. Safe from several threads;
// handshakes under way keep the pair they began with.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <mutex>
#include <string>

struct ssl_st;

namespace pgc::webhook {

// As it stands in the Secret: tls.crt, tls.key, ca.crt. Never print it.
struct PemFiles {
  std::string certificate;
  std::string key;
  std::string ca;
  bool operator==(const PemFiles&) const = default;
};

enum class Offer { kUnchanged, kTaken };

class ServingCertificate {
 public:
  // `server_name`: what the API server verifies, "pgc-webhook.pgc-system.svc".
  explicit ServingCertificate(std::string server_name);
  ~ServingCertificate();

  // The error says what is wrong with the pair, without quoting it.
  std::expected<Offer, std::string> offer(const PemFiles& files, std::chrono::sys_seconds now);

  // Puts the current pair into one handshake. False where there is none yet.
  bool apply_to(ssl_st* handshake) const;

  std::string serial() const;                  // empty before the first pair
  std::chrono::sys_seconds not_after() const;  // the epoch before the first pair
  std::string ca() const;                      // the CAs that came with the current pair
  const std::string& server_name() const { return server_name_; }

 private:
  struct Loaded;
  std::shared_ptr<const Loaded> current() const;

  const std::string server_name_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Loaded> loaded_;
};

}  // namespace pgc::webhook
