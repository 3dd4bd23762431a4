#include "webhook/serving_certificate.h"

#include <openssl/ssl.h>

#include <utility>
#include <vector>

#include "shared/x509/handles.h"
#include "shared/x509/x509.h"

namespace pgc::webhook {

struct ServingCertificate::Loaded {
  PemFiles files;
  std::string serial;
  x509::Time not_after;
  x509::CertificateHandle leaf;
  x509::KeyHandle key;
  x509::StackHandle chain;  // what stands between the leaf and the CA; mostly nothing
};

namespace {

std::expected<void, std::string> check(const PemFiles& files, const std::string& server_name,
                                       x509::Time now) {
  auto fits = x509::verify_pair({files.certificate, files.key});
  if (!fits) return fits;
  return x509::verify_chain(files.certificate, files.ca, server_name, x509::Usage::kServer, now);
}

x509::StackHandle intermediates(std::vector<x509::CertificateHandle> certificates) {
  x509::StackHandle stack(sk_X509_new_null());
  for (std::size_t i = 1; i < certificates.size(); ++i) {
    sk_X509_push(stack.get(), certificates[i].release());
  }
  return stack;
}

}  // namespace

ServingCertificate::ServingCertificate(std::string server_name)
    : server_name_(std::move(server_name)) {}

ServingCertificate::~ServingCertificate() = default;

std::expected<Offer, std::string> ServingCertificate::offer(const PemFiles& files,
                                                            std::chrono::sys_seconds now) {
  const auto before = current();
  if (before && before->files == files) return Offer::kUnchanged;
  if (auto good = check(files, server_name_, now); !good) return std::unexpected(good.error());
  auto next = std::make_shared<Loaded>();
  next->files = files;
  const auto described = x509::parse(files.certificate).value();
  next->serial = described.serial;
  next->not_after = described.validity.not_after;
  next->key = x509::read_key(files.key);
  auto certificates = x509::read_certificates(files.certificate);
  next->leaf = std::move(certificates.front());
  next->chain = intermediates(std::move(certificates));
  const std::lock_guard lock(mutex_);
  loaded_ = std::move(next);
  return Offer::kTaken;
}

bool ServingCertificate::apply_to(ssl_st* handshake) const {
  const auto pair = current();
  return pair && SSL_use_certificate(handshake, pair->leaf.get()) == 1 &&
         SSL_use_PrivateKey(handshake, pair->key.get()) == 1 &&
         SSL_set1_chain(handshake, pair->chain.get()) == 1;
}

std::string ServingCertificate::serial() const {
  const auto pair = current();
  return pair ? pair->serial : "";
}

std::chrono::sys_seconds ServingCertificate::not_after() const {
  const auto pair = current();
  return pair ? pair->not_after : x509::Time();
}

std::string ServingCertificate::ca() const {
  const auto pair = current();
  return pair ? pair->files.ca : "";
}

std::shared_ptr<const ServingCertificate::Loaded> ServingCertificate::current() const {
  const std::lock_guard lock(mutex_);
  return loaded_;
}

}  // namespace pgc::webhook
