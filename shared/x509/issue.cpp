// Makes certificates: the half of x509.h that writes.
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <algorithm>

#include "shared/x509/handles.h"
#include "shared/x509/x509.h"

namespace pgc::x509 {

namespace {

std::unexpected<std::string> failed(const std::string& what) {
  return std::unexpected(what + ": " + last_error());
}

bool set_serial(X509* certificate, const Serial& serial) {
  using NumberHandle = std::unique_ptr<BIGNUM, Freeing<BN_free>>;
  const NumberHandle number(BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_validity(X509* certificate, const Validity& validity) {
  const auto seconds = [](Time time) {
    return static_cast<time_t>(time.time_since_epoch().count());
  };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(validity.not_before)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(validity.not_after)) != nullptr;
}

bool set_common_name(X509* certificate, const std::string& name) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(name.data());
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, bytes,
                                    static_cast<int>(name.size()), -1, 0) == 1;
}

// For values that are literals of ours: OpenSSL parses them, so nothing foreign may come in here.
bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  using ExtensionHandle = std::unique_ptr<X509_EXTENSION, Freeing<X509_EXTENSION_free>>;
  const ExtensionHandle extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool add_name(GENERAL_NAMES* names, int type, void* value) {
  GENERAL_NAME* name = value != nullptr ? GENERAL_NAME_new() : nullptr;
  if (name == nullptr) return false;
  GENERAL_NAME_set0_value(name, type, value);
  return sk_GENERAL_NAME_push(names, name) > 0;
}

ASN1_IA5STRING* ia5(const std::string& text) {
  ASN1_IA5STRING* string = ASN1_IA5STRING_new();
  ASN1_STRING_set(string, text.data(), static_cast<int>(text.size()));
  return string;
}

// Built from structures, not from OpenSSL's "DNS:a,IP:b" syntax, where a comma in a name would add
// further names.
Result<void> add_alternative_names(X509* certificate, const LeafRequest& request) {
  const NamesHandle names(GENERAL_NAMES_new());
  for (const std::string& name : request.dns_names) {
    if (!add_name(names.get(), GEN_DNS, ia5(name))) return failed("DNS name " + name);
  }
  for (const std::string& address : request.ip_addresses) {
    if (!add_name(names.get(), GEN_IPADD, a2i_IPADDRESS(address.c_str()))) {
      return failed("\"" + address + "\" is no IP address");
    }
  }
  if (sk_GENERAL_NAME_num(names.get()) == 0) return {};
  if (X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) !=
      1) {
    return failed("subjectAltName");
  }
  return {};
}

const char* extended_usage(Usage usage) {
  switch (usage) {
    case Usage::kServer:
      return "serverAuth";
    case Usage::kClient:
      return "clientAuth";
    case Usage::kServerAndClient:
      return "serverAuth,clientAuth";
  }
  return "";
}

std::string pem_of(X509* certificate) {
  const BioHandle bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return text_of(bio.get());
}

// Secure memory of the BIO is wiped when it is freed; the string is the caller's to keep.
std::string pem_of(EVP_PKEY* key) {
  const BioHandle bio(BIO_new(BIO_s_secmem()));
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio.get());
}

// A certificate with everything but its extensions and its signature.
Result<CertificateHandle> draft(const std::string& common_name, const Validity& validity,
                                const Serial& serial, EVP_PKEY* key) {
  if (validity.not_after <= validity.not_before) {
    return std::unexpected("the validity of " + common_name + " ends before it starts");
  }
  CertificateHandle certificate(X509_new());
  const bool done = certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                    set_serial(certificate.get(), serial) &&
                    set_validity(certificate.get(), validity) &&
                    set_common_name(certificate.get(), common_name) &&
                    X509_set_pubkey(certificate.get(), key) == 1;
  if (!done) return failed("certificate for " + common_name);
  return certificate;
}

Result<Pair> sign(X509* certificate, EVP_PKEY* key, EVP_PKEY* signing_key) {
  if (X509_sign(certificate, signing_key, EVP_sha256()) == 0) return failed("signing");
  return Pair{pem_of(certificate), pem_of(key)};
}

}  // namespace

Serial random_serial() {
  Serial serial{};
  // A generator that fails leaves OpenSSL unusable altogether; making the key then fails as well.
  RAND_bytes(serial.data(), static_cast<int>(serial.size()));
  serial[0] = static_cast<std::uint8_t>((serial[0] & 0x7F) | 0x40);  // positive, of constant length
  return serial;
}

Time renewal_time(const Validity& validity) {
  return validity.not_before + (validity.not_after - validity.not_before) * 2 / 3;
}

Result<Pair> make_ca(const std::string& common_name, const Validity& validity,
                     const Serial& serial) {
  const KeyHandle key(EVP_EC_gen("P-256"));
  if (!key) return failed("key of " + common_name);
  auto certificate = draft(common_name, validity, serial, key.get());
  if (!certificate) return std::unexpected(certificate.error());
  X509* ca = certificate->get();
  const bool done = X509_set_issuer_name(ca, X509_get_subject_name(ca)) == 1 &&
                    add_extension(ca, ca, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    add_extension(ca, ca, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    add_extension(ca, ca, NID_subject_key_identifier, "hash");
  if (!done) return failed("certificate of " + common_name);
  return sign(ca, key.get(), key.get());
}

Result<Pair> issue_leaf(const Pair& ca, const LeafRequest& request, const Serial& serial) {
  const KeyHandle ca_key = read_key(ca.key);
  const auto ca_certificates = read_certificates(ca.certificate);
  if (!ca_key || ca_certificates.empty()) return std::unexpected("the CA is no PEM pair");
  X509* issuer = ca_certificates.front().get();
  const KeyHandle key(EVP_EC_gen("P-256"));
  if (!key) return failed("key of " + request.common_name);
  auto certificate = draft(request.common_name, request.validity, serial, key.get());
  if (!certificate) return std::unexpected(certificate.error());
  X509* leaf = certificate->get();
  const bool done = X509_set_issuer_name(leaf, X509_get_subject_name(issuer)) == 1 &&
                    add_extension(leaf, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
                    add_extension(leaf, issuer, NID_key_usage, "critical,digitalSignature") &&
                    add_extension(leaf, issuer, NID_ext_key_usage, extended_usage(request.usage)) &&
                    add_extension(leaf, issuer, NID_subject_key_identifier, "hash") &&
                    add_extension(leaf, issuer, NID_authority_key_identifier, "keyid:always");
  if (!done) return failed("certificate for " + request.common_name);
  if (auto named = add_alternative_names(leaf, request); !named) {
    return std::unexpected(named.error());
  }
  return sign(leaf, key.get(), ca_key.get());
}

}  // namespace pgc::x509
