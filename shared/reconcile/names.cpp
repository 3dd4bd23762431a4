#include "shared/reconcile/names.h"

#include <charconv>

namespace pgc::reconcile {

std::string Names::instance(int number) const {
  return cluster + "-" + std::to_string(number);
}
std::string Names::pod(int number) const {
  return instance(number) + "-0";
}
std::string Names::data_volume(int number) const {
  return instance(number) + "-pgdata";
}
std::string Names::read_write_service() const {
  return cluster + "-rw";
}
std::string Names::read_only_service() const {
  return cluster + "-ro";
}
std::string Names::pods_service() const {
  return cluster + "-pods";
}
std::string Names::patroni_config() const {
  return cluster + "-patroni";
}
std::string Names::patroni_scope() const {
  return cluster + "-ha";
}
std::string Names::service_account() const {
  return cluster + "-instance";
}
std::string Names::superuser_secret() const {
  return cluster + "-superuser";
}
std::string Names::replication_secret() const {
  return cluster + "-replication";
}
std::string Names::rewind_secret() const {
  return cluster + "-rewind";
}
std::string Names::app_secret() const {
  return cluster + "-app";
}
std::string Names::ca_secret() const {
  return cluster + "-ca";
}
std::string Names::server_tls_secret() const {
  return cluster + "-server-tls";
}
std::string Names::disruption_budget() const {
  return cluster;
}

std::string Names::patroni_object(std::string_view suffix) const {
  return patroni_scope() + "-" + std::string(suffix);
}

int Names::instance_number(std::string_view instance_name) const {
  const std::string prefix = cluster + "-";
  if (!instance_name.starts_with(prefix)) return 0;
  const std::string_view digits = instance_name.substr(prefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && instance_name == instance(number) && number > 0 ? number : 0;
}

std::map<std::string, std::string> Names::labels() const {
  return {{std::string(kClusterLabel), cluster},
          {std::string(kManagedByLabel), std::string(kManagedBy)},
          {"app.kubernetes.io/name", "postgresql"},
          {"app.kubernetes.io/instance", cluster}};
}

std::string Names::selector() const {
  return std::string(kManagedByLabel) + "=" + std::string(kManagedBy) + "," +
         std::string(kClusterLabel) + "=" + cluster;
}

std::string Names::pod_selector() const {
  return std::string(kClusterLabel) + "=" + cluster + "," + std::string(kPatroniLabel) + "=" +
         patroni_scope();
}

}  // namespace pgc::reconcile
