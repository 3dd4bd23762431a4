// OpenSSL's reference-counted structures as values that free themselves, and PEM texts read into
// them. For the .cpp files that talk to OpenSSL; everybody else takes x509.h.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pgc::x509 {

template <auto Free>
struct Freeing {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};

inline void free_certificates(STACK_OF(X509) * stack) {
  sk_X509_pop_free(stack, X509_free);
}

using BioHandle = std::unique_ptr<BIO, Freeing<BIO_free_all>>;
using KeyHandle = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY_free>>;
using CertificateHandle = std::unique_ptr<X509, Freeing<X509_free>>;
using NamesHandle = std::unique_ptr<GENERAL_NAMES, Freeing<GENERAL_NAMES_free>>;
using StackHandle = std::unique_ptr<STACK_OF(X509), Freeing<free_certificates>>;
using StoreHandle = std::unique_ptr<X509_STORE, Freeing<X509_STORE_free>>;
using StoreContextHandle = std::unique_ptr<X509_STORE_CTX, Freeing<X509_STORE_CTX_free>>;

// A view on the bytes of `text`, which must outlive it.
BioHandle read_from(std::string_view text);
std::string text_of(BIO* memory);

// Null where the text holds no key that can be read without a passphrase.
KeyHandle read_key(std::string_view pem);
// All certificates of a text, in order; null entries never.
std::vector<CertificateHandle> read_certificates(std::string_view pem);

// OpenSSL's own words for its last failure on this thread, and empties its queue.
std::string last_error();

}  // namespace pgc::x509
