#include "agent/report.h"

#include <openssl/evp.h>
#include <sys/statvfs.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "shared/x509/x509.h"

namespace pgc::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1U << 20;
constexpr std::uint64_t kWorthwhilePart = 100;  // a hundredth of the volume
constexpr std::size_t kHashDigits = 16;

std::optional<Volume> volume_at(const std::string& path) {
  struct statvfs facts{};
  if (path.empty() || statvfs(path.c_str(), &facts) != 0) return std::nullopt;
  const std::uint64_t unit = facts.f_frsize;
  return Volume{facts.f_bavail * unit / kMiB * kMiB, facts.f_blocks * unit};
}

std::string read_file(const fs::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The keys of a Secret are links beside "..data", the folder that the kubelet exchanges as a whole.
std::map<std::string, std::string> read_secret(const std::string& directory) {
  std::map<std::string, std::string> values;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string key = entry.path().filename().string();
    if (!key.starts_with("..") && entry.is_regular_file(error)) values[key] = read_file(entry);
  }
  return values;
}

MountedSecret mounted(const std::map<std::string, std::string>& secret) {
  const auto certificate = secret.find("tls.crt");
  const auto facts = certificate == secret.end() ? std::unexpected(std::string())
                                                 : x509::parse(certificate->second);
  return {hash_of(secret), facts ? facts->serial : ""};
}

bool moved(const std::optional<Volume>& before, const std::optional<Volume>& now) {
  if (!before || !now) return before.has_value() != now.has_value();
  const std::uint64_t difference = before->free_bytes > now->free_bytes
                                       ? before->free_bytes - now->free_bytes
                                       : now->free_bytes - before->free_bytes;
  return before->total_bytes != now->total_bytes ||
         difference * kWorthwhilePart >= std::max(now->total_bytes, kMiB);
}

nlohmann::json to_json(const Volume& volume) {
  return {{"freeBytes", volume.free_bytes}, {"totalBytes", volume.total_bytes}};
}

}  // namespace

Report observe(const Directories& directories) {
  Report report{volume_at(directories.data), volume_at(directories.wal), {}};
  for (const auto& [name, directory] : directories.secrets) {
    const auto secret = read_secret(directory);
    if (!secret.empty()) report.secrets[name] = mounted(secret);
  }
  return report;
}

std::string hash_of(const std::map<std::string, std::string>& secret) {
  std::string text;
  for (const auto& [key, value] : secret) {
    text += std::to_string(key.size()) + ":" + key + std::to_string(value.size()) + ":" + value;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hash;
  for (unsigned int i = 0; i < size && hash.size() < kHashDigits; ++i) {
    hash += kDigits[digest[i] >> 4];
    hash += kDigits[digest[i] & 15];
  }
  return hash;
}

bool worth_publishing(const std::optional<Report>& published, const Report& current) {
  return !published || published->secrets != current.secrets ||
         moved(published->data, current.data) || moved(published->wal, current.wal);
}

std::string to_json(const Report& report) {
  nlohmann::json document = nlohmann::json::object();
  if (report.data) document["data"] = to_json(*report.data);
  if (report.wal) document["wal"] = to_json(*report.wal);
  for (const auto& [name, secret] : report.secrets) {
    nlohmann::json& entry = document["secrets"][name];
    entry["hash"] = secret.hash;
    if (!secret.serial.empty()) entry["serial"] = secret.serial;
  }
  return document.dump();
}

}  // namespace pgc::agent
