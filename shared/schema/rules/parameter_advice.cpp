#include "shared/schema/rules/parameter_advice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "shared/schema/rules/parameter_values.h"
#include "shared/schema/structural/nearest.h"

namespace pgc::schema {
namespace {

// Caches of src/backend/access/transam/slru.c come in banks of 16 blocks.
constexpr std::array<std::string_view, 7> kBanked = {
    "commit_timestamp_buffers", "multixact_member_buffers", "multixact_offset_buffers",
    "notify_buffers",           "serializable_buffers",     "subtransaction_buffers",
    "transaction_buffers"};

struct Risk {
  std::string_view name;
  double value;
  std::string_view text;
};

constexpr std::array<Risk, 7> kRisks = {
    {{"autovacuum", 0, "off lets tables bloat, and transaction ids run out"},
     {"track_counts", 0, "off stops autovacuum: it knows no longer what to clean"},
     {"fsync", 0, "off can lose the whole cluster's data in one crash of a node"},
     {"full_page_writes", 0, "off can corrupt the data in one crash of a node"},
     {"ignore_checksum_failure", 1, "on hides corruption; meant for a rescue alone"},
     {"ignore_system_indexes", 1, "on is slow; meant for a rescue alone"},
     {"zero_damaged_pages", 1, "on destroys what is in damaged pages; meant for a rescue alone"}}};

// Libraries that come with PostgreSQL and may be loaded at start.
constexpr std::array<std::string_view, 12> kLibraries = {
    "auth_delay",         "auto_explain",  "basebackup_to_shell",
    "basic_archive",      "passwordcheck", "pg_prewarm",
    "pg_stat_statements", "pg_trgm",       "plpgsql",
    "postgres_fdw",       "sepgsql",       "test_decoding"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kAround = " \"";
  const std::size_t begin = text.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

void advise_library(const GivenParameter& given, std::string_view name, Verdict& verdict) {
  if (name.starts_with("$libdir/")) name.remove_prefix(std::string_view("$libdir/").size());
  if (name.empty() || std::ranges::find(kLibraries, name) != kLibraries.end()) return;
  const auto meant = nearest(name, {kLibraries.begin(), kLibraries.end()});
  warn(verdict, given.path(),
       meant ? "did you mean " + *meant + "?"
             : "PostgreSQL does not start without " + std::string(name) + " in its image");
}

void advise_libraries(const GivenParameter& given, Verdict& verdict) {
  const std::string_view list = given.text;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    advise_library(given, trimmed(list.substr(begin, end - begin)), verdict);
    begin = end + 1;
  }
}

}  // namespace

std::string reason_of_hook(const Parameter& parameter, double value) {
  constexpr double kBank = 16;
  constexpr double kLeastRing = 128;  // kB
  if (std::ranges::find(kBanked, parameter.name) != kBanked.end() && std::fmod(value, kBank) != 0)
    return "must be a multiple of 128kB";
  if (parameter.name == "vacuum_buffer_usage_limit" && value != 0 && value < kLeastRing)
    return "must be 0, or from 128kB to 16GB";
  return {};
}

std::string reason_of_operator(const GivenParameter& given) {
  const std::string_view name = given.parameter->name;
  if (name == "wal_level" && equal_names(given.text, "minimal"))
    return "must be \"replica\" or \"logical\": members replicate by WAL";
  if (name == "wal_log_hints" && given.value == 0)
    return "must be \"on\", or absent: without it a former primary cannot be rewound";
  if (name == "password_encryption" && !equal_names(given.text, "scram-sha-256"))
    return "must be \"scram-sha-256\", or absent: pg_hba lets in no other password";
  return {};
}

void advise(const GivenParameter& given, Verdict& verdict) {
  const Parameter& parameter = *given.parameter;
  for (const Risk& risk : kRisks) {
    if (risk.name == parameter.name && risk.value == given.value)
      warn(verdict, given.path(), risk.text);
  }
  if (parameter.name == "shared_preload_libraries") advise_libraries(given, verdict);
  constexpr double kStackOfContainer =
      7680;  // kB: the usual limit of 8MB less PostgreSQL's reserve
  if (parameter.name == "max_stack_depth" && given.value > kStackOfContainer)
    warn(verdict, given.path(),
         "above 7680kB PostgreSQL does not start under the usual stack of 8MB");
  if (parameter.unit == "8kB" && given.value > 0 && lacks_unit(given.text)) {
    warn(verdict, given.path(),
         "without a unit it counts blocks of 8 kB; write " +
             amount_text(given.value, parameter.unit) + " if that is meant");
  }
}

}  // namespace pgc::schema
