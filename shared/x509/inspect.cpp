// Reads and verifies certificates: the half of x509.h that asks.
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <ctime>

#include "shared/x509/handles.h"
#include "shared/x509/x509.h"

namespace pgc::x509 {

namespace {

constexpr const char* kNoCertificate = "holds no certificate in PEM form";

std::string serial_of(const X509* certificate) {
  using NumberHandle = std::unique_ptr<BIGNUM, Freeing<BN_free>>;
  const NumberHandle number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr));
  char* raw = number ? BN_bn2hex(number.get()) : nullptr;
  std::string hex = raw != nullptr ? raw : "";
  OPENSSL_free(raw);
  hex.erase(0, std::min(hex.find_first_not_of('0'), hex.size()));
  std::ranges::transform(hex, hex.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return hex;
}

Time time_of(const ASN1_TIME* asn1) {
  std::tm parts{};
  if (asn1 == nullptr || ASN1_TIME_to_tm(asn1, &parts) != 1) return {};
  using namespace std::chrono;
  const year_month_day date{year{parts.tm_year + 1900},
                            month{static_cast<unsigned>(parts.tm_mon + 1)},
                            day{static_cast<unsigned>(parts.tm_mday)}};
  return sys_days{date} + hours{parts.tm_hour} + minutes{parts.tm_min} + seconds{parts.tm_sec};
}

std::string_view bytes_of(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

std::string common_name_of(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (index < 0) return {};
  return std::string(bytes_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index))));
}

std::string address_of(const ASN1_OCTET_STRING* octets) {
  const int family = ASN1_STRING_length(octets) == 4 ? AF_INET : AF_INET6;
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = ASN1_STRING_get0_data(octets);
  return inet_ntop(family, bytes, text.data(), text.size()) != nullptr ? text.data() : "";
}

void read_names(const X509* certificate, Certificate& facts) {
  const NamesHandle names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) facts.dns_names.emplace_back(bytes_of(name->d.dNSName));
    if (name->type == GEN_IPADD) facts.ip_addresses.push_back(address_of(name->d.iPAddress));
  }
}

StoreHandle store_of(const std::vector<CertificateHandle>& certificates) {
  StoreHandle store(X509_STORE_new());
  for (const auto& certificate : certificates) {
    X509_STORE_add_cert(store.get(), certificate.get());
  }
  return store;
}

StackHandle stack_of(const std::vector<CertificateHandle>& certificates) {
  StackHandle stack(sk_X509_new_null());
  for (const auto& certificate : certificates) {
    X509_up_ref(certificate.get());
    sk_X509_push(stack.get(), certificate.get());
  }
  return stack;
}

void expect(X509_VERIFY_PARAM* parameters, const std::string& name, int purpose, Time now) {
  X509_VERIFY_PARAM_set_time(parameters, static_cast<time_t>(now.time_since_epoch().count()));
  X509_VERIFY_PARAM_set_purpose(parameters, purpose);
  if (!name.empty()) X509_VERIFY_PARAM_set1_host(parameters, name.data(), name.size());
  X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
}

Result<void> verify_for(const std::vector<CertificateHandle>& chain, X509_STORE* roots,
                        const std::string& name, int purpose, Time now) {
  const StackHandle others = stack_of(chain);
  const StoreContextHandle context(X509_STORE_CTX_new());
  if (!context ||
      X509_STORE_CTX_init(context.get(), roots, chain.front().get(), others.get()) != 1) {
    return std::unexpected("verification: " + last_error());
  }
  expect(X509_STORE_CTX_get0_param(context.get()), name, purpose, now);
  if (X509_verify_cert(context.get()) == 1) return {};
  ERR_clear_error();
  return std::unexpected(
      std::string(X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()))));
}

}  // namespace

Result<Certificate> parse(std::string_view pem) {
  const auto certificates = read_certificates(pem);
  if (certificates.empty()) return std::unexpected(kNoCertificate);
  X509* certificate = certificates.front().get();
  Certificate facts{
      .serial = serial_of(certificate),
      .common_name = common_name_of(certificate),
      .validity = {time_of(X509_get0_notBefore(certificate)),
                   time_of(X509_get0_notAfter(certificate))},
      .dns_names = {},
      .ip_addresses = {},
      .is_ca = X509_check_ca(certificate) == 1,
  };
  read_names(certificate, facts);
  return facts;
}

Result<std::vector<std::string>> split(std::string_view pem) {
  std::vector<std::string> texts;
  for (const auto& certificate : read_certificates(pem)) {
    const BioHandle bio(BIO_new(BIO_s_mem()));
    if (!bio || PEM_write_bio_X509(bio.get(), certificate.get()) != 1) {
      return std::unexpected("certificate: " + last_error());
    }
    texts.push_back(text_of(bio.get()));
  }
  return texts;
}

Result<void> verify_pair(const Pair& pair) {
  const auto certificates = read_certificates(pair.certificate);
  if (certificates.empty()) return std::unexpected(kNoCertificate);
  const KeyHandle key = read_key(pair.key);
  if (!key) {
    ERR_clear_error();
    return std::unexpected("the key is no unencrypted private key in PEM form");
  }
  if (X509_check_private_key(certificates.front().get(), key.get()) == 1) return {};
  ERR_clear_error();
  return std::unexpected("the key does not belong to the certificate");
}

Result<void> verify_chain(std::string_view chain, std::string_view roots, const std::string& name,
                          Usage usage, Time now) {
  const auto certificates = read_certificates(chain);
  if (certificates.empty()) return std::unexpected(kNoCertificate);
  const auto root_certificates = read_certificates(roots);
  if (root_certificates.empty()) return std::unexpected("the list of CAs holds no certificate");
  const StoreHandle store = store_of(root_certificates);
  for (const auto& [wanted, purpose] : {std::pair{Usage::kServer, X509_PURPOSE_SSL_SERVER},
                                        std::pair{Usage::kClient, X509_PURPOSE_SSL_CLIENT}}) {
    if (usage != wanted && usage != Usage::kServerAndClient) continue;
    auto verified = verify_for(certificates, store.get(), name, purpose, now);
    if (!verified) return verified;
  }
  return {};
}

}  // namespace pgc::x509
