#include "agent/report.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "shared/x509/x509.h"

namespace pgc::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGiB = 1U << 30;

// A Secret as the kubelet mounts one: links into a folder that is exchanged as a whole.
class SecretMount {
 public:
  SecretMount() : path_(fs::temp_directory_path() / ("pgc-agent-" + std::to_string(getpid()))) {
    fs::create_directories(path_ / "..2026");
    fs::create_directory_symlink("..2026", path_ / "..data");
  }
  ~SecretMount() { fs::remove_all(path_); }

  void put(const std::string& key, const std::string& value) {
    std::ofstream(path_ / "..2026" / key) << value;
    if (!fs::exists(path_ / key)) fs::create_symlink("..data/" + key, path_ / key);
  }
  std::string path() const { return path_; }

 private:
  fs::path path_;
};

Report a_report() {
  return {.data = Volume{5 * kGiB, 10 * kGiB}, .wal = {}, .secrets = {{"tls", {"abc", "1f"}}}};
}

TEST_CASE("a report states volumes and mounted Secrets, and leaves out what is not there") {
  SecretMount mount;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto ca = x509::make_ca("x", {now, now + std::chrono::days(1)}, x509::Serial{0x1f});
  mount.put("tls.crt", ca->certificate);
  const Report report =
      observe({.data = "/", .wal = "", .secrets = {{"a", mount.path()}, {"b", "/no/such/dir"}}});
  REQUIRE(report.data);
  CHECK(report.data->total_bytes > report.data->free_bytes);
  CHECK_FALSE(report.wal);
  REQUIRE(report.secrets.size() == 1);
  CHECK(report.secrets.at("a").serial == "1f" + std::string(30, '0'));
  CHECK(report.secrets.at("a").hash == hash_of({{"tls.crt", ca->certificate}}));
}

TEST_CASE("a Secret without a certificate has a hash and no serial") {
  SecretMount mount;
  mount.put("password", "sesame");
  const Report report = observe({.data = "", .wal = "", .secrets = {{"a", mount.path()}}});
  CHECK_FALSE(report.data);
  CHECK(report.secrets.at("a").serial.empty());
}

TEST_CASE("a hash tells keys from values, and hides both") {
  CHECK(hash_of({{"a", "bc"}}) != hash_of({{"ab", "c"}}));
  CHECK(hash_of({{"a", "b"}}) != hash_of({{"a", "b"}, {"c", ""}}));
  CHECK(hash_of({{"password", "sesame"}}).size() == 16);
}

TEST_CASE("only what somebody would want to know is worth a write") {
  const Report before = a_report();
  Report now = before;
  CHECK(worth_publishing(std::nullopt, now));
  CHECK_FALSE(worth_publishing(before, now));

  SECTION("a little less free space is not") {
    now.data->free_bytes -= 10 * kGiB / 100 - 1;
    CHECK_FALSE(worth_publishing(before, now));
  }
  SECTION("a hundredth of the volume is, in either direction") {
    now.data->free_bytes -= 10 * kGiB / 100 + 1;
    CHECK(worth_publishing(before, now));
    now.data->free_bytes = before.data->free_bytes + 10 * kGiB / 100 + 1;
    CHECK(worth_publishing(before, now));
  }
  SECTION("a grown volume is") {
    now.data->total_bytes += 1;
    CHECK(worth_publishing(before, now));
  }
  SECTION("a WAL volume that appears is") {
    now.wal = Volume{};
    CHECK(worth_publishing(before, now));
  }
  SECTION("another certificate is") {
    now.secrets["tls"].serial = "20";
    CHECK(worth_publishing(before, now));
  }
}

TEST_CASE("the report is a small JSON document") {
  CHECK(to_json(a_report()) == R"({"data":{"freeBytes":5368709120,"totalBytes":10737418240},)"
                               R"("secrets":{"tls":{"hash":"abc","serial":"1f"}}})");
  CHECK(to_json({}) == "{}");
}

}  // namespace
}  // namespace pgc::agent
