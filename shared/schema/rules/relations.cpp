// Parameters that are right one by one, and not together. Where PostgreSQL would not start it is an
// error, where it would ignore one of them a warning.
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {
namespace {

class Relations {
 public:
  Relations(const Change& change, Verdict& verdict)
      : object_(change.object), parameters_(change.parameters), verdict_(verdict) {}

  void run() {
    check_reserved_connections();
    check_backends();
    check_wal_sizes();
    check_tls_versions();
    check_statistics();
    check_slot_sync();
    warn_above("max_parallel_workers", "max_worker_processes");
    warn_above("max_parallel_workers_per_gather", "max_parallel_workers");
    warn_above("max_parallel_maintenance_workers", "max_parallel_workers");
    check_replicas("max_wal_senders", 2);  // two more for base backups
    check_replicas("max_replication_slots", 0);
  }

 private:
  using Names = std::initializer_list<std::string_view>;

  double value(std::string_view name) const { return parameters_.value(name).value_or(0); }
  bool is_on(std::string_view name) const { return value(name) != 0; }

  // The first that the object gives: where to tell an error. Null: all is default.
  const GivenParameter* first_given(Names names) const {
    for (const std::string_view name : names) {
      if (const GivenParameter* given = parameters_.find(name)) return given;
    }
    return nullptr;
  }

  // Unreadable values have been refused for themselves.
  bool all_readable(Names names) const {
    for (const std::string_view name : names) {
      if (!parameters_.value(name)) return false;
    }
    return true;
  }

  void refuse(const GivenParameter& given, std::string detail) {
    verdict_.errors.push_back(invalid(given.path(), *given.json, std::move(detail)));
  }

  std::string text(double number) const { return amount_text(number, {}); }

  void check_reserved_connections() {
    const Names names = {"max_connections", "reserved_connections",
                         "superuser_reserved_connections"};
    const GivenParameter* given = first_given(names);
    if (given == nullptr || !all_readable(names)) return;
    const double reserved = value("superuser_reserved_connections") + value("reserved_connections");
    if (reserved < value("max_connections")) return;
    refuse(*given, "PostgreSQL does not start unless max_connections (" +
                       text(value("max_connections")) + ") is more than " + text(reserved) +
                       ", superuser_reserved_connections and reserved_connections together");
  }

  void check_backends() {
    constexpr double kMost = 262143;  // MAX_BACKENDS of src/include/postmaster/postmaster.h
    const Names names = {"max_connections", "max_worker_processes", "max_wal_senders",
                         "autovacuum_max_workers"};
    const GivenParameter* given = first_given(names);
    if (given == nullptr || !all_readable(names)) return;
    double sum = 1;  // the launcher of autovacuum
    for (const std::string_view name : names) sum += value(name);
    if (sum <= kMost) return;
    refuse(*given,
           "PostgreSQL does not start with more than 262142 for max_connections, "
           "max_worker_processes, max_wal_senders and autovacuum_max_workers together; "
           "here they are " +
               text(sum - 1));
  }

  void check_wal_sizes() {
    constexpr double kTwoSegments = 32;  // MB; initdb makes segments of 16MB
    for (const std::string_view name : {"min_wal_size", "max_wal_size"}) {
      const GivenParameter* given = parameters_.find(name);
      if (given != nullptr && given->is_taken && given->value < kTwoSegments)
        refuse(*given, "must be at least 32MB, two segments of WAL, or PostgreSQL does not start");
    }
    const GivenParameter* least = parameters_.find("min_wal_size");
    const GivenParameter* most = parameters_.find("max_wal_size");
    if (least == nullptr || most == nullptr || !least->is_taken || !most->is_taken) return;
    if (least->value >= most->value)
      refuse(*least, "must be less than max_wal_size, " + most->text);
  }

  void check_tls_versions() {
    const GivenParameter* most = parameters_.find("ssl_max_protocol_version");
    const auto least = parameters_.value("ssl_min_protocol_version");
    // "" stands first among the values of the upper one, and means no limit.
    if (most == nullptr || !most->is_taken || !least || most->value == 0) return;
    if (most->value - 1 < *least)
      refuse(*most, "must not be below ssl_min_protocol_version, or PostgreSQL does not start");
  }

  void check_statistics() {
    const GivenParameter* all = parameters_.find("log_statement_stats");
    if (all == nullptr || !all->is_taken || all->value == 0) return;
    for (const std::string_view name :
         {"log_parser_stats", "log_planner_stats", "log_executor_stats"}) {
      if (is_on(name))
        return refuse(*all, "cannot be on together with " + std::string(name) + "; leave out one");
    }
  }

  void check_slot_sync() {
    const GivenParameter* sync = parameters_.find("sync_replication_slots");
    if (sync == nullptr || !sync->is_taken || sync->value == 0) return;
    const GivenParameter* level = parameters_.find("wal_level");
    if (level == nullptr || !equal_names(level->text, "logical"))
      refuse(*sync, "needs wal_level: logical");
    if (!is_on("hot_standby_feedback")) refuse(*sync, "needs hot_standby_feedback: \"on\"");
  }

  // What is asked for beyond the other one is never had.
  void warn_above(std::string_view name, std::string_view bound) {
    const GivenParameter* given = parameters_.find(name);
    const auto limit = parameters_.value(bound);
    if (given == nullptr || !given->is_taken || !limit || given->value <= *limit) return;
    warn(verdict_, given->path(),
         "no more than " + std::string(bound) + ", " + text(*limit) + ", are ever used");
  }

  // Each replica streams by a sender and a slot of its own.
  void check_replicas(std::string_view name, std::int64_t spare) {
    const Json* replicas = find(object_, {"spec", "replicas"});
    const auto limit = parameters_.value(name);
    if (replicas == nullptr || !replicas->is_number_integer() || !limit) return;
    const auto count = replicas->get<std::int64_t>();
    if (count < 1 || count > 1000) return;  // the schema has refused it
    const std::int64_t needed = count - 1 + spare;
    if (static_cast<double>(needed) <= *limit) return;
    warn(verdict_, FieldPath("spec.replicas"),
         "not all can stream: set " + std::string(name) + " to " + std::to_string(needed) +
             " or more");
  }

  const Json& object_;
  const GivenParameters& parameters_;
  Verdict& verdict_;
};

}  // namespace

void check_relations(const Change& change, Verdict& verdict) {
  if (change.parameters.major() != 0) Relations(change, verdict).run();
}

}  // namespace pgc::schema
