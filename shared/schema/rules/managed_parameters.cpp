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

constexpr std::int64_t kMegabyte = std::int64_t{1} << 20;
constexpr std::array<PatroniMinimum, 7> kMinima = {{{"max_connections", 25, "100", 0},
                                                    {"max_locks_per_transaction", 32, "64", 0},
                                                    {"max_prepared_transactions", 0, "0", 0},
                                                    {"max_replication_slots", 4, "10", 0},
                                                    {"max_wal_senders", 3, "10", 0},
                                                    {"max_worker_processes", 2, "8", 0},
                                                    {"wal_keep_size", 16, "128MB", kMegabyte}}};

}  // namespace

std::string_view reason_not_settable(std::string_view name) {
  for (const Group& group : kGroups) {
    if (std::find(group.names.begin(), group.names.end(), name) != group.names.end())
      return group.reason;
  }
  return {};
}

const PatroniMinimum* find_minimum(std::string_view name) {
  const auto found =
      std::find_if(kMinima.begin(), kMinima.end(),
                   [&](const PatroniMinimum& minimum) { return minimum.name == name; });
  return found == kMinima.end() ? nullptr : &*found;
}

}  // namespace pgc::schema
