// The pod of one member: PostgreSQL under Patroni, and the agent beside it.
#include <nlohmann/json.hpp>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/fingerprint.h"
#include "shared/reconcile/intent.h"

namespace pgc::reconcile {
namespace {

// The user `postgres` of the image; its group owns the files of mounted Secrets.
constexpr int kPostgresId = 999;
// Longest clean stop of PostgreSQL: a big shutdown checkpoint.
constexpr int kGraceSeconds = 300;

kube::Json from_field(const std::string& name, const std::string& path) {
  return {{"name", name},
          {"valueFrom", {{"fieldRef", {{"apiVersion", "v1"}, {"fieldPath", path}}}}}};
}

kube::Json from_secret(const std::string& name, const std::string& secret) {
  return {{"name", name},
          {"valueFrom", {{"secretKeyRef", {{"name", secret}, {"key", "password"}}}}}};
}

kube::Json value(const std::string& name, const std::string& text) {
  return {{"name", name}, {"value", text}};
}

// Members reach each other by the names that the headless Service gives them.
kube::Json environment(const Context& context) {
  const std::string address = "$(PATRONI_NAME)." + context.names.pods_service();
  return {from_field("PATRONI_NAME", "metadata.name"),
          from_field("PATRONI_KUBERNETES_POD_IP", "status.podIP"),
          value("PATRONI_POSTGRESQL_LISTEN", "*:5432"),
          value("PATRONI_POSTGRESQL_CONNECT_ADDRESS", address + ":5432"),
          value("PATRONI_RESTAPI_LISTEN", "*:8008"),
          value("PATRONI_RESTAPI_CONNECT_ADDRESS", address + ":8008"),
          value("PATRONICTL_CONFIG_FILE", "/etc/patroni"),
          from_secret("PATRONI_SUPERUSER_PASSWORD", context.names.superuser_secret()),
          from_secret("PATRONI_REPLICATION_PASSWORD", context.names.replication_secret()),
          from_secret("PATRONI_REWIND_PASSWORD", context.names.rewind_secret()),
          from_secret("PGC_APP_PASSWORD", context.names.app_secret())};
}

kube::Json probe(const std::string& path, int period, int timeout, int failures) {
  return {{"httpGet", {{"path", path}, {"port", 8008}, {"scheme", "HTTP"}}},
          {"periodSeconds", period},
          {"timeoutSeconds", timeout},
          {"failureThreshold", failures}};
}

kube::Json locked_down() {
  return {{"allowPrivilegeEscalation", false},
          {"readOnlyRootFilesystem", true},
          {"capabilities", {{"drop", {"ALL"}}}}};
}

kube::Json quantities(const std::map<std::string, std::string>& amounts) {
  kube::Json object = kube::Json::object();
  for (const auto& [name, amount] : amounts) object[name] = stored_quantity(amount);
  return object;
}

kube::Json resources(const Context& context) {
  kube::Json result = kube::Json::object();
  const auto& wanted = context.cluster().resources;
  if (!wanted.requests.empty()) result["requests"] = quantities(wanted.requests);
  if (!wanted.limits.empty()) result["limits"] = quantities(wanted.limits);
  return result;
}

kube::Json mount(const std::string& name, const std::string& path) {
  return {{"name", name}, {"mountPath", path}};
}

kube::Json read_only(const std::string& name, const std::string& path) {
  return {{"name", name}, {"mountPath", path}, {"readOnly", true}};
}

kube::Json postgres_container(const Context& context) {
  kube::Json mounts = {mount("pgdata", "/pgdata"), mount("tmp", "/tmp"),
                       mount("run", "/run/postgresql"), mount("shm", "/dev/shm"),
                       read_only("patroni", "/etc/patroni")};
  if (context.resolved.tls_enabled) mounts.push_back(read_only("tls", "/etc/pgc/tls"));
  kube::Json container = {
      {"name", "postgres"},
      {"image", context.resolved.image},
      {"imagePullPolicy", context.settings.image_pull_policy},
      {"env", environment(context)},
      {"ports",
       kube::Json::array({{{"name", "postgres"}, {"containerPort", 5432}, {"protocol", "TCP"}},
                          {{"name", "patroni"}, {"containerPort", 8008}, {"protocol", "TCP"}}})},
      // 503 when Patroni's loop has stalled for longer than the leader's lock lives.
      {"livenessProbe", probe("/liveness", 5, 4, 4)},
      {"readinessProbe", probe("/readiness", 2, 2, 3)},
      {"securityContext", locked_down()},
      {"volumeMounts", mounts}};
  if (kube::Json wanted = resources(context); !wanted.empty()) container["resources"] = wanted;
  return container;
}

kube::Json agent_container(const Context& context) {
  kube::Json arguments = {"--data-dir", "/pgdata"};
  kube::Json mounts = {read_only("pgdata", "/pgdata")};
  if (context.resolved.tls_enabled) {
    arguments.push_back("--secret-dir");
    arguments.push_back(context.names.server_tls_secret() + "=/etc/pgc/tls");
    mounts.push_back(read_only("tls", "/etc/pgc/tls"));
  }
  return {{"name", "agent"},
          {"image", context.settings.agent_image},
          {"imagePullPolicy", context.settings.image_pull_policy},
          {"command", {"/pgc-agent"}},
          {"args", arguments},
          {"env",
           {from_field("POD_NAME", "metadata.name"),
            from_field("POD_NAMESPACE", "metadata.namespace")}},
          {"resources",
           {{"requests", {{"cpu", "5m"}, {"memory", "16Mi"}}}, {"limits", {{"memory", "32Mi"}}}}},
          {"securityContext", locked_down()},
          {"volumeMounts", mounts}};
}

// Which of the volumes is the member's own: its claim.
constexpr std::size_t kOwnVolume = 0;

kube::Json volumes(const Context& context) {
  kube::Json list = {
      {{"name", "pgdata"}, {"persistentVolumeClaim", {{"claimName", ""}}}},
      {{"name", "patroni"},
       {"configMap", {{"name", context.names.patroni_config()}, {"defaultMode", 0444}}}},
      {{"name", "tmp"}, {"emptyDir", kube::Json::object()}},
      {{"name", "run"}, {"emptyDir", kube::Json::object()}},
      {{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}}};
  if (context.resolved.tls_enabled) {
    list.push_back(
        {{"name", "tls"},
         {"secret", {{"secretName", context.names.server_tls_secret()}, {"defaultMode", 0440}}}});
  }
  return list;
}

kube::Json labels(const Context& context) {
  kube::Json result = context.names.labels();
  result[std::string(kPatroniLabel)] = context.names.patroni_scope();
  return result;
}

kube::Json spread(const Context& context, const std::string& topology_key) {
  return {{"maxSkew", 1},
          {"topologyKey", topology_key},
          {"whenUnsatisfiable", "ScheduleAnyway"},
          {"labelSelector", {{"matchLabels", {{kClusterLabel, context.names.cluster}}}}}};
}

// What a restart of the member would be for. Version the list with its maker: another version of
// the operator must come to the same hash for the same inputs, or its upgrade restarts every
// database.
std::string inputs(const Context& context) {
  return "v1-" + fingerprint({{"image", context.resolved.image},
                              {"resources", resources(context)},
                              {"tls", context.resolved.tls_enabled}});
}

kube::Json pod_security() {
  return {{"runAsNonRoot", true},
          {"runAsUser", kPostgresId},
          {"runAsGroup", kPostgresId},
          {"fsGroup", kPostgresId},
          {"fsGroupChangePolicy", "OnRootMismatch"},
          {"seccompProfile", {{"type", "RuntimeDefault"}}}};
}

}  // namespace

kube::Json common_pod_template(const Context& context) {
  return {
      {"metadata",
       {{"labels", labels(context)}, {"annotations", {{kInputsAnnotation, inputs(context)}}}}},
      {"spec",
       {{"serviceAccountName", context.names.service_account()},
        {"terminationGracePeriodSeconds", kGraceSeconds},
        {"enableServiceLinks", false},
        {"securityContext", pod_security()},
        {"topologySpreadConstraints",
         kube::Json::array({spread(context, "kubernetes.io/hostname"),
                            spread(context, "topology.kubernetes.io/zone")})},
        {"containers", kube::Json::array({postgres_container(context), agent_container(context)})},
        {"volumes", volumes(context)}}}};
}

kube::Json pod_template(const Context& context, kube::Json common, int number) {
  kube::Json& metadata = common["metadata"];
  metadata["labels"][std::string(kInstanceLabel)] = context.names.instance(number);
  kube::Json& volume = common["spec"]["volumes"][kOwnVolume];
  volume["persistentVolumeClaim"]["claimName"] = context.names.data_volume(number);
  metadata["annotations"][std::string(kTemplateAnnotation)] = fingerprint(common);
  return common;
}

}  // namespace pgc::reconcile
