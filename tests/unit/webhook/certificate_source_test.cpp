// Certificates that change, break and vanish while they are served.
#include "webhook/certificate_source.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/slowness.h"
#include "tests/unit/webhook/server_support.h"
#include "webhook/certificate_event.h"

namespace pgc::webhook::testing {
namespace {

namespace fs = std::filesystem;

// A mounted Secret, changed as the kubelet does: a new folder, then one link swapped.
class MountedSecret {
 public:
  ~MountedSecret() { fs::remove_all(path_); }

  void write(const PemFiles& files) {
    const std::string folder = "..generation-" + std::to_string(++generation_);
    fs::create_directories(path_ + "/" + folder);
    const std::pair<const char*, const std::string*> all[] = {
        {"tls.crt", &files.certificate}, {"tls.key", &files.key}, {"ca.crt", &files.ca}};
    for (const auto& [name, text] : all) {
      std::ofstream(path_ + "/" + folder + "/" + name) << *text;
      if (!fs::is_symlink(path_ + "/" + name)) {
        fs::create_symlink(std::string("..data/") + name, path_ + "/" + name);
      }
    }
    std::error_code none;
    const auto before = fs::read_symlink(path_ + "/..data", none);
    fs::create_symlink(folder, path_ + "/..data_tmp");
    fs::rename(path_ + "/..data_tmp", path_ + "/..data");
    if (!none) fs::remove_all(path_ + "/" + before.string());
  }
  void vanish() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_ = fs::temp_directory_path() / ("pgc-mounted-" + std::to_string(getpid()));
  int generation_ = 0;
};

PemFiles files_of(const x509::Pair& ca, const std::string& trusted,
                  std::chrono::hours life = std::chrono::hours(1)) {
  const x509::Pair leaf = a_leaf(ca, x509::Usage::kServer, life);
  return {leaf.certificate, leaf.key, trusted};
}

TEST_CASE("whatever becomes of the files, the last good pair goes on, with a number and an Event",
          "[webhook]") {
  MountedSecret secret;
  const x509::Pair ca = a_ca();
  const PemFiles good = files_of(ca, ca.certificate);
  secret.write(good);
  ServingCertificate certificate(kName);
  std::vector<std::string> lines;
  std::vector<std::string> reports;
  metrics::Registry registry;
  const Log log([&](const std::string& line) { lines.push_back(line); });
  CertificateKeeper keeper(from_directory(secret.path()), certificate, log,
                           certificate_metrics(registry),
                           [&](const std::string& reason) { reports.push_back(reason); });
  REQUIRE(keeper.look(now()));
  const std::string serial = x509::parse(good.certificate)->serial;
  REQUIRE(certificate.serial() == serial);

  const PemFiles other = files_of(ca, ca.certificate);
  struct Case {
    const char* name;
    std::function<void()> spoil;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {"mixed up", [&] { secret.write({other.certificate, good.key, good.ca}); },
       "the key does not belong to the certificate"},
      {"half written",
       [&] { secret.write({other.certificate.substr(0, 300), other.key, other.ca}); },
       "holds no certificate in PEM form"},
      {"expired", [&] { secret.write(files_of(ca, ca.certificate, std::chrono::hours(-1))); },
       "certificate has expired"},
      {"a key is missing", [&] { secret.write({other.certificate, "", other.ca}); },
       "lacks some of"},
      {"gone", [&] { secret.vanish(); }, "lacks some of"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    reports.clear();
    c.spoil();
    CHECK_FALSE(keeper.look(now()));
    CHECK_FALSE(keeper.look(now()));
    CHECK(certificate.serial() == serial);
    REQUIRE(reports.size() <= 1);
    if (std::string(c.name) == "gone") continue;  // the same reason as before is told once
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].find(c.reason) != std::string::npos);
  }
  const std::string text = registry.text();
  CHECK(text.find("certwatcher_read_certificate_total 11\n") != std::string::npos);
  CHECK(text.find("certwatcher_read_certificate_errors_total 10\n") != std::string::npos);
  for (const std::string& line : lines) CHECK(line.find("PRIVATE") == std::string::npos);

  secret.write(other);
  CHECK(keeper.look(now()));
  CHECK(certificate.serial() == x509::parse(other.certificate)->serial);
  INFO("the pair in use grows old, and nothing new comes");
  reports.clear();
  CHECK_FALSE(keeper.look(now() + std::chrono::hours(2)));
  REQUIRE(reports.size() == 1);
  CHECK(reports[0] == "the certificate has expired, and there is no other");
  CHECK(certificate.serial() == x509::parse(other.certificate)->serial);
}

TEST_CASE("the Event says what is wrong, about what, and who says so", "[webhook]") {
  const auto event = certificate_event({.kind = "Secret",
                                        .ns = "pgc-system",
                                        .name = "pgc-webhook-tls",
                                        .reporter = "pgc-webhook-0"},
                                       std::string(2'000, 'x'), {})
                         .json();
  CHECK(event.at("type") == "Warning");
  CHECK(event.at("reason") == "CertificateNotLoaded");
  CHECK(event.at("regarding").at("name") == "pgc-webhook-tls");
  CHECK(event.at("reportingInstance") == "pgc-webhook-0");
  CHECK(event.at("note").get<std::string>().size() <= 1'024);
}

TEST_CASE("leaf and CA change under load, and no request fails", "[webhook]") {
  const int rounds = full() ? 20 : 4;
  // A client that has read the bundle must come to its handshake before the leaf is another one.
  const auto pause = std::chrono::milliseconds(full() ? 5'000 : 600 * test::kSlowness);
  MountedSecret secret;
  x509::Pair ca = a_ca();
  std::string trusted = ca.certificate;
  secret.write(files_of(ca, trusted));
  Running running;
  metrics::Registry registry;
  const Log log([](const std::string&) {});
  CertificateKeeper keeper(from_directory(secret.path()), running.certificate(), log,
                           certificate_metrics(registry), nullptr);
  REQUIRE(keeper.look(now()));
  const std::jthread looking(
      [&](std::stop_token stop) { keeper.run(std::chrono::milliseconds(20), stop); });
  std::mutex mutex;
  const auto bundle = [&] {
    const std::lock_guard lock(mutex);
    return std::pair(running.port, trusted);
  };
  Load keeping(bundle, 4, 150);
  Load coming_anew(bundle, 4, 50, false);
  for (int round = 0; round < rounds; ++round) {
    const x509::Pair next = a_ca();
    const auto publish = [&](const std::string& bundle_now) {
      const std::lock_guard lock(mutex);
      trusted = bundle_now;
    };
    publish(ca.certificate + next.certificate);  // both are trusted before the leaf changes
    std::this_thread::sleep_for(pause / 3);
    const PemFiles files = files_of(next, ca.certificate + next.certificate);
    secret.write(files);
    const auto serial = x509::parse(files.certificate)->serial;
    for (int i = 0; i < 100 && running.certificate().serial() != serial; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    REQUIRE(running.certificate().serial() == serial);
    std::this_thread::sleep_for(pause / 3);
    publish(next.certificate);
    ca = next;
    std::this_thread::sleep_for(pause / 3);
  }
  const auto kept = keeping.finish();
  const auto anew = coming_anew.finish();
  WARN(rounds << " changes of CA and leaf, " << kept.asked + anew.asked << " requests, "
              << kept.failed + anew.failed << " failed, " << anew.connections << " handshakes");
  CHECK(kept.first_failure == "");
  CHECK(anew.first_failure == "");
  CHECK(kept.failed + anew.failed == 0);
  CHECK(registry.text().find("certwatcher_read_certificate_errors_total 0\n") != std::string::npos);
}

}  // namespace
}  // namespace pgc::webhook::testing
