#include "shared/x509/handles.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <climits>

namespace pgc::x509 {

namespace {

// OpenSSL asks for the passphrase of an encrypted key on the terminal unless told not to.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

}  // namespace

BioHandle read_from(std::string_view text) {
  if (text.size() > INT_MAX) return nullptr;
  return BioHandle(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

KeyHandle read_key(std::string_view pem) {
  const BioHandle bio = read_from(pem);
  return KeyHandle(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr)
                       : nullptr);
}

std::vector<CertificateHandle> read_certificates(std::string_view pem) {
  std::vector<CertificateHandle> found;
  const BioHandle bio = read_from(pem);
  while (bio) {
    CertificateHandle next(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr));
    if (!next) break;
    found.push_back(std::move(next));
  }
  ERR_clear_error();  // the end of the text is an error to OpenSSL
  return found;
}

std::string last_error() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "OpenSSL gives no reason";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "OpenSSL error " + std::to_string(code);
}

}  // namespace pgc::x509
