#include "webhook/certificate_source.h"

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "shared/x509/base64.h"

namespace pgc::webhook {

namespace {

using std::chrono::seconds;

constexpr seconds kLookAgain{3};
constexpr seconds kLongestPause{30};
constexpr const char* kKeys = "tls.crt, tls.key and ca.crt";

std::string read_file(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::expected<PemFiles, std::string> complete(PemFiles files, const std::string& where) {
  if (files.certificate.empty() || files.key.empty() || files.ca.empty()) {
    return std::unexpected(where + " lacks some of " + kKeys);
  }
  return files;
}

// One round. Returns what went wrong, or nothing.
std::string look(const CertificateSource& source, ServingCertificate& certificate, const Log& log) {
  const auto files = source();
  if (!files) return files.error();
  const auto now = std::chrono::floor<seconds>(std::chrono::system_clock::now());
  const auto offer = certificate.offer(*files, now);
  if (!offer) return "not usable for " + certificate.server_name() + ": " + offer.error();
  if (*offer == Offer::kTaken) log.info("certificate loaded", {{"serial", certificate.serial()}});
  return {};
}

void wait(seconds pause, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, pause, [] { return false; });
}

}  // namespace

CertificateSource from_secret(kube::Reader& reader, std::string ns, std::string name) {
  return
      [&reader, ref = kube::ObjectRef{kube::kSecrets, std::move(ns),
                                      std::move(name)}]() -> std::expected<PemFiles, std::string> {
        const auto secret = reader.get(ref);
        if (!secret) return std::unexpected(ref.to_string() + ": " + secret.error().message);
        const auto value = [&](std::string_view key) {
          return x509::from_base64(kube::string_at(secret->json(), {"data", key})).value_or("");
        };
        return complete({value("tls.crt"), value("tls.key"), value("ca.crt")}, ref.to_string());
      };
}

CertificateSource from_directory(std::string directory) {
  return [directory = std::move(directory)] {
    const auto value = [&](const char* key) { return read_file(directory + "/" + key); };
    return complete({value("tls.crt"), value("tls.key"), value("ca.crt")}, directory);
  };
}

void follow(const CertificateSource& source, ServingCertificate& certificate, const Log& log,
            std::stop_token stop) {
  std::string last_failure;
  seconds pause{1};
  while (!stop.stop_requested()) {
    const std::string failure = look(source, certificate, log);
    if (!failure.empty() && failure != last_failure) {
      log.warning("certificate not loaded", {{"reason", failure}});
    }
    pause = failure.empty() ? kLookAgain : std::min(pause * 2, kLongestPause);
    last_failure = failure;
    wait(certificate.serial().empty() ? std::min(pause, kLookAgain) : pause, stop);
  }
}

}  // namespace pgc::webhook
