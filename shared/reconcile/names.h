// The names and labels of everything that belongs to one PostgresCluster, in one place.
//
// Pure. Names are stable: an object is found again by its name, so changing one of these orphans
// what older versions made.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace pgc::reconcile {

inline constexpr std::string_view kClusterLabel = "db.example.com/cluster";
inline constexpr std::string_view kInstanceLabel = "db.example.com/instance";
inline constexpr std::string_view kRoleLabel = "db.example.com/role";        // Patroni sets it
inline constexpr std::string_view kPatroniLabel = "db.example.com/patroni";  // Patroni's scope
inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedBy = "pgc";
inline constexpr std::string_view kIntentAnnotation = "db.example.com/intent";
inline constexpr std::string_view kInputsAnnotation = "db.example.com/inputs";
// On a pod: what it was made of, a hash of its StatefulSet's template at that time.
inline constexpr std::string_view kTemplateAnnotation = "db.example.com/template";
// What pgc-agent publishes of its pod (agent/report.h).
inline constexpr std::string_view kReportAnnotation = "db.example.com/report";
inline constexpr std::string_view kFinalizer = "db.example.com/cleanup";

// "role" values that Patroni 4 writes into kRoleLabel.
inline constexpr std::string_view kPrimary = "primary";
inline constexpr std::string_view kReplica = "replica";

// Names within one cluster, all derived from its own name.
struct Names {
  std::string cluster;

  std::string instance(int number) const;     // my-db-1, a StatefulSet
  std::string pod(int number) const;          // my-db-1-0
  std::string data_volume(int number) const;  // my-db-1-pgdata, a PersistentVolumeClaim
  std::string read_write_service() const;     // my-db-rw
  std::string read_only_service() const;      // my-db-ro
  std::string pods_service() const;           // my-db-pods, headless
  std::string patroni_config() const;         // my-db-patroni, a ConfigMap of ours
  std::string patroni_scope() const;          // my-db-ha; Patroni's own ConfigMaps start with it
  std::string patroni_object(std::string_view suffix) const;  // my-db-ha-leader, -config, ...
  std::string service_account() const;     // my-db-instance, also its Role and RoleBinding
  std::string superuser_secret() const;    // my-db-superuser
  std::string replication_secret() const;  // my-db-replication
  std::string rewind_secret() const;       // my-db-rewind
  std::string app_secret() const;          // my-db-app
  std::string ca_secret() const;           // my-db-ca
  std::string server_tls_secret() const;   // my-db-server-tls
  std::string disruption_budget() const;   // my-db

  // The number in "my-db-3"; 0 where the name is not one of ours.
  int instance_number(std::string_view instance_name) const;

  // On every object of the cluster.
  std::map<std::string, std::string> labels() const;
  // What selects every object of the cluster: "db.example.com/cluster=my-db,...".
  std::string selector() const;
  // What selects its pods; the scale subresource shows it.
  std::string pod_selector() const;
};

}  // namespace pgc::reconcile
