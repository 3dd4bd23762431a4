// Credentials and certificates. No secret byte is in the plan: the executor makes them up.
#include <nlohmann/json.hpp>

#include "shared/reconcile/concerns.h"
#include "shared/reconcile/intent.h"

namespace pgc::reconcile {
namespace {

// Ten years and one: renewal comes with the rotation of certificates, until then nothing expires
// behind anyone's back within a year.
constexpr std::chrono::hours kAuthorityValidity{24 * 3650};
constexpr std::chrono::hours kServerValidity{24 * 398};

// Passwords live as long as the data volumes, which know them: no owner reference.
kube::Object password_skeleton(const Context& context, const std::string& name,
                               const std::string& user) {
  kube::Json secret = skeleton(context.observed, kube::kSecrets, name, Owned::kNo);
  const std::string host = context.names.read_write_service() + "." + context.cluster().ns + ".svc";
  secret["type"] = "kubernetes.io/basic-auth";
  secret["stringData"] = {{"username", user}, {"user", user}, {"host", host}, {"port", "5432"}};
  if (user == "app") secret["stringData"]["dbname"] = "app";
  return kube::Object(std::move(secret));
}

void password(const Context& context, const std::string& name, const std::string& user,
              Plan& plan) {
  if (context.observed.secrets.contains(name)) return;
  plan.actions.push_back(GeneratePassword{.secret = {kube::kSecrets, context.cluster().ns, name},
                                          .skeleton = password_skeleton(context, name, user)});
}

// The names under which clients and members reach a server of this cluster.
std::vector<std::string> server_names(const Context& context) {
  std::vector<std::string> names;
  for (const std::string& service :
       {context.names.read_write_service(), context.names.read_only_service(),
        "*." + context.names.pods_service()}) {
    const std::string in_namespace = service + "." + context.cluster().ns;
    names.insert(names.end(), {service, in_namespace, in_namespace + ".svc",
                               in_namespace + ".svc.cluster.local"});
  }
  return names;
}

void certificates(const Context& context, Plan& plan) {
  const auto& [ca, server] =
      std::pair(context.names.ca_secret(), context.names.server_tls_secret());
  const auto secret = [&](const std::string& name) {
    return kube::Object(skeleton(context.observed, kube::kSecrets, name, Owned::kYes));
  };
  if (!context.observed.secrets.contains(ca)) {
    plan.actions.push_back(GenerateAuthority{.secret = {kube::kSecrets, context.cluster().ns, ca},
                                             .skeleton = secret(ca),
                                             .common_name = context.names.cluster + " CA",
                                             .validity = kAuthorityValidity});
  }
  if (!context.observed.secrets.contains(server)) {
    plan.actions.push_back(
        GenerateServerCertificate{.secret = {kube::kSecrets, context.cluster().ns, server},
                                  .skeleton = secret(server),
                                  .authority = ca,
                                  .common_name = context.names.read_write_service(),
                                  .dns_names = server_names(context),
                                  .validity = kServerValidity});
  }
}

}  // namespace

void plan_secrets(const Context& context, Plan& plan) {
  password(context, context.names.superuser_secret(), "postgres", plan);
  password(context, context.names.replication_secret(), "replicator", plan);
  password(context, context.names.rewind_secret(), "rewind", plan);
  password(context, context.names.app_secret(), "app", plan);
  if (context.resolved.tls_enabled) certificates(context, plan);
}

}  // namespace pgc::reconcile
