// Patroni's configuration: the files that each member reads at start, and the dynamic configuration
// that Patroni keeps in the annotation `config` of its -config ConfigMap and applies by itself.
// https://patroni.readthedocs.io/en/latest/patroni_configuration.html
#include <nlohmann/json.hpp>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"

namespace pgc::reconcile {
namespace {

// loop_wait + 2 * retry_timeout must not exceed ttl, or Patroni adjusts them silently.
constexpr int kTtl = 20;
constexpr int kLoopWait = 5;
constexpr int kRetryTimeout = 7;

std::string data_folder(const Context& context) {
  return "/pgdata/pg" + std::to_string(context.cluster().version);
}

std::string bin_folder(const Context& context) {
  return "/usr/lib/postgresql/" + std::to_string(context.cluster().version) + "/bin";
}

// From the network: by password, and under kRequire only through TLS.
kube::Json host_based_authentication(const Context& context) {
  const bool only_tls = context.resolved.tls == schema::TlsMode::kRequire;
  const std::string host = only_tls ? "hostssl" : "host";
  return {"local all postgres peer", "local all all scram-sha-256",
          host + " replication replicator all scram-sha-256", host + " all all all scram-sha-256"};
}

kube::Json server_parameters(const Context& context) {
  kube::Json parameters = {{"password_encryption", "scram-sha-256"}};
  for (const auto& [name, value] : context.cluster().parameters) parameters[name] = value;
  if (context.resolved.tls_enabled) {
    parameters["ssl"] = "on";
    parameters["ssl_cert_file"] = "/etc/pgc/tls/tls.crt";
    parameters["ssl_key_file"] = "/etc/pgc/tls/tls.key";
    parameters["ssl_ca_file"] = "/etc/pgc/tls/ca.crt";
  }
  return parameters;
}

kube::Json dynamic_configuration(const Context& context) {
  return {{"ttl", kTtl},
          {"loop_wait", kLoopWait},
          {"retry_timeout", kRetryTimeout},
          {"primary_start_timeout", 60},
          {"maximum_lag_on_failover", 1048576},
          {"failsafe_mode", true},
          {"check_timeline", true},
          {"postgresql",
           {{"use_pg_rewind", true},
            {"use_slots", true},
            {"parameters", server_parameters(context)},
            {"pg_hba", host_based_authentication(context)}}}};
}

kube::Json kubernetes_section(const Context& context) {
  return {{"namespace", context.cluster().ns},
          {"scope_label", kPatroniLabel},
          {"role_label", kRoleLabel},
          {"labels", {{kClusterLabel, context.names.cluster}, {kManagedByLabel, kManagedBy}}},
          {"leader_label_value", kPrimary},
          {"follower_label_value", kReplica},
          {"standby_leader_label_value", kPrimary}};
}

kube::Json bootstrap_section(const Context& context) {
  return {{"dcs", dynamic_configuration(context)},
          {"initdb", kube::Json::array({{{"encoding", "UTF8"}},
                                        {{"locale", "C.UTF-8"}},
                                        "data-checksums",
                                        {{"auth-host", "scram-sha-256"}},
                                        {{"auth-local", "peer"}}})},
          // Patroni appends the connection string as last argument.
          {"post_bootstrap",
           bin_folder(context) + "/psql -X -q -v ON_ERROR_STOP=1 -f /etc/patroni/bootstrap.sql"}};
}

kube::Json postgresql_section(const Context& context) {
  return {{"bin_dir", bin_folder(context)},
          {"data_dir", data_folder(context)},
          {"pgpass", "/tmp/.pgpass"},
          {"use_unix_socket", true},
          {"use_unix_socket_repl", false},
          {"parameters", {{"unix_socket_directories", "/run/postgresql"}}},
          {"authentication",
           {{"superuser", {{"username", "postgres"}}},
            {"replication", {{"username", "replicator"}}},
            {"rewind", {{"username", "rewind"}}}}},
          {"basebackup", kube::Json::array({{{"checkpoint", "fast"}}})},
          {"remove_data_directory_on_rewind_failure", true},
          {"remove_data_directory_on_diverged_timelines", true}};
}

// JSON is YAML. Passwords and what differs between pods come by environment variables.
std::string patroni_yaml(const Context& context) {
  const kube::Json document = {
      {"scope", context.names.patroni_scope()},
      {"kubernetes", kubernetes_section(context)},
      // Whoever is no member may look, but not switch over, restart or reinitialize.
      {"restapi", {{"allowlist", {"127.0.0.1"}}, {"allowlist_include_members", true}}},
      {"watchdog", {{"mode", "off"}}},
      {"bootstrap", bootstrap_section(context)},
      {"postgresql", postgresql_section(context)}};
  return document.dump(2) + "\n";
}

// Run once by psql when the cluster is made. The password comes by the environment, and a failing
// statement must not carry it into the server's log.
constexpr const char* kBootstrapSql = R"(SET log_min_error_statement = 'panic';
\getenv app_password PGC_APP_PASSWORD
CREATE ROLE app LOGIN PASSWORD :'app_password';
CREATE DATABASE app OWNER app;
)";

void files(const Context& context, Plan& plan) {
  kube::Json map =
      skeleton(context.observed, kube::kConfigMaps, context.names.patroni_config(), Owned::kYes);
  map["data"] = {{"patroni.yaml", patroni_yaml(context)}, {"bootstrap.sql", kBootstrapSql}};
  apply(context.observed, kube::kConfigMaps, std::move(map), plan);
}

// Keys that we do not set are others': `pause` of patronictl, for one.
kube::Json with_ours(kube::Json configuration, const kube::Json& ours) {
  if (!configuration.is_object()) return ours;
  for (const auto& [key, value] : ours.items()) configuration[key] = value;
  return configuration;
}

// Once a cluster is initialized, the annotation is what counts. Patroni owns the object, so this is
// a patch that holds only while the object is the one observed.
void dynamic(const Context& context, Plan& plan) {
  const std::string name = context.names.patroni_object("config");
  const kube::Object* live = context.observed.find(kube::kConfigMaps, name);
  if (live == nullptr || live->annotation("config").empty()) return;
  const kube::Json stands =
      kube::Json::parse(live->annotation("config"), nullptr, /*allow_exceptions=*/false);
  const kube::Json wanted = with_ours(stands, dynamic_configuration(context));
  if (stands == wanted) return;
  kube::Json operations = kube::Json::array();
  operations.push_back({{"op", "replace"},
                        {"path", "/metadata/resourceVersion"},
                        {"value", live->resource_version()}});
  operations.push_back(
      {{"op", "replace"}, {"path", "/metadata/annotations/config"}, {"value", wanted.dump()}});
  plan.actions.push_back(Patch{.ref = {kube::kConfigMaps, context.cluster().ns, name},
                               .operations = kube::Object(kube::Json{{"patch", operations}}),
                               .why = "the PostgreSQL configuration has changed"});
}

}  // namespace

void plan_patroni(const Context& context, Plan& plan) {
  files(context, plan);
  dynamic(context, plan);
}

}  // namespace pgc::reconcile
