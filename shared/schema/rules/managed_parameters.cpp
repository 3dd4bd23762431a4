#include "shared/schema/rules/managed_parameters.h"

#include <algorithm>
#include <array>
#include <span>

namespace pgc::schema {
namespace {

constexpr std::array<std::string_view, 16> kOfTheOperator = {"cluster_name",
                                                             "config_file",
                                                             "data_directory",
                                                             "external_pid_file",
                                                             "hba_file",
                                                             "ident_file",
                                                             "listen_addresses",
                                                             "port",
                                                             "unix_socket_directories",
                                                             "unix_socket_group",
                                                             "unix_socket_permissions",
                                                             "allow_system_table_mods",
                                                             "data_sync_retry",
                                                             "jit_provider",
                                                             "bonjour",
                                                             "bonjour_name"};
constexpr std::array<std::string_view, 10> kOfReplication = {
    "hot_standby",          "primary_conninfo",           "primary_slot_name",
    "promote_trigger_file", "recovery_min_apply_delay",   "restart_after_crash",
    "standby_mode",         "synchronized_standby_slots", "synchronous_standby_names",
    "recovery_end_command"};
constexpr std::array<std::string_view, 13> kOfBackup = {"archive_cleanup_command",
                                                        "archive_command",
                                                        "archive_library",
                                                        "archive_mode",
                                                        "recovery_target",
                                                        "recovery_target_action",
                                                        "recovery_target_inclusive",
                                                        "recovery_target_lsn",
                                                        "recovery_target_name",
                                                        "recovery_target_time",
                                                        "recovery_target_timeline",
                                                        "recovery_target_xid",
                                                        "restore_command"};
constexpr std::array<std::string_view, 10> kOfTls = {"ssl",
                                                     "ssl_ca_file",
                                                     "ssl_cert_file",
                                                     "ssl_crl_dir",
                                                     "ssl_crl_file",
                                                     "ssl_dh_params_file",
                                                     "ssl_key_file",
                                                     "ssl_passphrase_command",
                                                     "ssl_passphrase_command_supports_reload",
                                                     "ssl_prefer_server_ciphers"};
constexpr std::array<std::string_view, 13> kOfLogging = {
    "event_source",         "log_destination",  "log_directory",     "log_file_mode",
    "log_filename",         "log_rotation_age", "log_rotation_size", "log_truncate_on_rotation",
    "logging_collector",    "syslog_facility",  "syslog_ident",      "syslog_sequence_numbers",
    "syslog_split_messages"};

struct Group {
  std::span<const std::string_view> names;
  std::string_view reason;
};

constexpr std::array<Group, 5> kGroups = {
    {{kOfTheOperator, "is set by the operator; remove it"},
     {kOfReplication, "belongs to Patroni, which runs replication and failover; remove it"},
     {kOfBackup, "is set for backups and recovery by the operator; remove it"},
     {kOfTls, "is set by the operator; use spec.tls"},
     {kOfLogging, "is set by the operator: the log goes to the output of the pod; remove it"}}};

constexpr std::array<PatroniMinimum, 8> kMinima = {{{"maintenance_work_mem", 1024, "1MB"},
                                                    {"max_connections", 25, "100"},
                                                    {"max_locks_per_transaction", 32, "64"},
                                                    {"max_prepared_transactions", 0, "0"},
                                                    {"max_replication_slots", 4, "10"},
                                                    {"max_wal_senders", 3, "10"},
                                                    {"max_worker_processes", 2, "8"},
                                                    {"wal_keep_size", 16, "128MB"}}};

constexpr std::array<std::string_view, 8> kBooleans = {"on",  "true",  "yes", "1",
                                                       "off", "false", "no",  "0"};

}  // namespace

std::string_view reason_not_settable(std::string_view name) {
  for (const Group& group : kGroups) {
    if (std::ranges::any_of(group.names,
                            [&](auto of_group) { return equal_names(of_group, name); }))
      return group.reason;
  }
  return {};
}

const PatroniMinimum* find_minimum(std::string_view name) {
  const auto found =
      std::find_if(kMinima.begin(), kMinima.end(),
                   [&](const PatroniMinimum& minimum) { return equal_names(minimum.name, name); });
  return found == kMinima.end() ? nullptr : &*found;
}

std::string_view running_default(const Parameter& parameter) {
  if (parameter.name == "wal_log_hints") return "on";
  if (parameter.name == "wal_keep_size") return "128MB";
  return parameter.default_value;
}

bool is_number_for_patroni(std::string_view text, bool whole) {
  const std::size_t point = text.find('.');
  const bool no_fraction =
      point != std::string_view::npos &&
      (point + 1 == text.size() || text[point + 1] < '0' || text[point + 1] > '9');
  return !no_fraction && text.find('X') == std::string_view::npos &&
         (whole || text.find('x') == std::string_view::npos);
}

bool is_boolean_for_patroni(std::string_view text) {
  return std::ranges::any_of(kBooleans, [&](auto word) { return equal_names(word, text); });
}

}  // namespace pgc::schema
