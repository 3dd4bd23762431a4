#include "webhook/certificate_source.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "shared/x509/base64.h"

namespace pgc::webhook {

namespace {

using std::chrono::seconds;

constexpr std::chrono::milliseconds kLongestPause{30'000};
constexpr const char* kDataLink = "..data";  // what the kubelet swaps
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

// Where the files really are, for as long as they are there.
std::string generation_of(const std::string& directory) {
  std::error_code problem;
  const auto real = std::filesystem::canonical(directory + "/" + kDataLink, problem);
  return problem ? directory : real.string();
}

void wait(std::chrono::milliseconds pause, std::stop_token stop) {
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
    const std::string generation = generation_of(directory);
    const auto value = [&](const char* key) { return read_file(generation + "/" + key); };
    auto files = complete({value("tls.crt"), value("tls.key"), value("ca.crt")}, directory);
    // The kubelet removes the old generation once the link points to the new one.
    if (!files && generation_of(directory) != generation) return from_directory(directory)();
    return files;
  };
}

CertificateKeeper::CertificateKeeper(CertificateSource source, ServingCertificate& certificate,
                                     const Log& log, CertificateMetrics metrics, Report report)
    : source_(std::move(source)),
      certificate_(certificate),
      log_(log),
      metrics_(metrics),
      report_(std::move(report)) {}

// Empty where all is well.
std::string CertificateKeeper::failure_of_look(std::chrono::sys_seconds now) {
  const auto files = source_();
  if (!files) return files.error();
  const auto offer = certificate_.offer(*files, now);
  if (!offer) return "not usable for " + certificate_.server_name() + ": " + offer.error();
  if (*offer == Offer::kTaken) {
    log_.info("certificate loaded", {{"serial", certificate_.serial()}});
  }
  if (certificate_.not_after() <= now) return "the certificate has expired, and there is no other";
  return {};
}

bool CertificateKeeper::look(std::chrono::sys_seconds now) {
  const std::string failure = failure_of_look(now);
  metrics_.reads.add();
  metrics_.expires.set(static_cast<double>(certificate_.not_after().time_since_epoch().count()));
  if (!failure.empty()) {
    metrics_.errors.add();
    if (failure != last_failure_) {
      log_.warning("certificate not loaded", {{"reason", failure}});
      if (report_) report_(failure);
    }
  }
  last_failure_ = failure;
  return failure.empty();
}

void CertificateKeeper::run(std::chrono::milliseconds look_again, std::stop_token stop) {
  std::chrono::milliseconds pause = look_again;
  while (!stop.stop_requested()) {
    const bool calm = look(std::chrono::floor<seconds>(std::chrono::system_clock::now()));
    const bool waiting_for_the_first = certificate_.serial().empty();
    pause = calm || waiting_for_the_first ? look_again : std::min(pause * 2, kLongestPause);
    wait(pause, stop);
  }
}

}  // namespace pgc::webhook
