#include "shared/kube/exec_plugin.h"

#include <yaml-cpp/binary.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/kube/config.h"
#include "shared/kube/object.h"
#include "shared/kube/time.h"

namespace pgc::kube {
namespace {

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1Beta1 = "client.authentication.k8s.io/v1beta1";

Error refuse(std::string message) {
  return {.kind = ErrorKind::kConfiguration, .message = std::move(message)};
}

Json cluster_info(const ExecPlugin& plugin, const Config& cluster) {
  Json info{{"server", cluster.server}};
  if (!cluster.proxy_url.empty()) info["proxy-url"] = cluster.proxy_url;
  if (!plugin.cluster_config.empty()) {
    info["config"] = Json::parse(plugin.cluster_config, nullptr, /*allow_exceptions=*/false);
  }
  if (!cluster.tls_server_name.empty()) info["tls-server-name"] = cluster.tls_server_name;
  if (cluster.insecure_skip_tls_verify) info["insecure-skip-tls-verify"] = true;
  if (!cluster.ca_pem.empty()) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(cluster.ca_pem.data());
    info["certificate-authority-data"] = YAML::EncodeBase64(bytes, cluster.ca_pem.size());
  }
  return info;
}

// client-go's rules for what `status` must hold.
Result<Credential> credential_of(const Json& status) {
  Credential credential{
      .token = std::string(string_at(status, {"token"})),
      .certificate_pem = std::string(string_at(status, {"clientCertificateData"})),
      .key_pem = std::string(string_at(status, {"clientKeyData"})),
      .expires = {}};
  if (credential.token.empty() && credential.certificate_pem.empty() &&
      credential.key_pem.empty()) {
    return std::unexpected(refuse("exec plugin didn't return a token or cert/key pair"));
  }
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return std::unexpected(refuse("exec plugin returned only certificate or key, not both"));
  }
  const std::string expires(string_at(status, {"expirationTimestamp"}));
  if (expires.empty()) return credential;
  credential.expires = parse_rfc3339(expires);
  if (credential.expires) return credential;
  return std::unexpected(
      refuse("exec plugin returned an expirationTimestamp that is no RFC 3339 time"));
}

// v1 wants it to be said, v1beta1 does not.
std::string mode_problem(const ExecPlugin& plugin, const std::string& user) {
  const std::string& mode = plugin.interactive_mode_name;
  if (mode.empty()) {
    if (plugin.api_version != kV1) return "";
    return "interactiveMode must be specified for " + user + " to use exec authentication plugin";
  }
  if (mode == "Never" || mode == "IfAvailable" || mode == "Always") return "";
  return "invalid interactiveMode for " + user + ": \"" + mode + "\"";
}

}  // namespace

std::vector<std::string> problems_of(const ExecPlugin& plugin, const std::string& user) {
  std::vector<std::string> problems;
  if (plugin.command.empty()) {
    problems.push_back("command must be specified for " + user +
                       " to use exec authentication plugin");
  }
  if (plugin.api_version.empty()) {
    problems.push_back("apiVersion must be specified for " + user +
                       " to use exec authentication plugin");
  } else if (plugin.api_version != kV1 && plugin.api_version != kV1Beta1) {
    problems.push_back("exec plugin: invalid apiVersion \"" + plugin.api_version + "\" for " +
                       user + "; want " + std::string(kV1) + " or " + std::string(kV1Beta1));
  }
  const bool nameless = std::any_of(plugin.environment.begin(), plugin.environment.end(),
                                    [](const auto& variable) { return variable.first.empty(); });
  if (nameless) {
    problems.push_back("env variable name must be specified for " + user +
                       " to use exec authentication plugin");
  }
  if (std::string problem = mode_problem(plugin, user); !problem.empty()) {
    problems.push_back(std::move(problem));
  }
  return problems;
}

std::string exec_info(const ExecPlugin& plugin, const Config& cluster, bool interactive) {
  Json spec{{"interactive", interactive}};
  if (plugin.provide_cluster_info) spec["cluster"] = cluster_info(plugin, cluster);
  return Json{{"apiVersion", plugin.api_version}, {"kind", "ExecCredential"}, {"spec", spec}}
      .dump();
}

Result<Credential> parse_credential(const ExecPlugin& plugin, std::string_view output) {
  const Json answer = Json::parse(output, nullptr, false);
  if (!answer.is_object() || string_at(answer, {"kind"}) != "ExecCredential") {
    return std::unexpected(
        refuse("exec: what " + plugin.command + " printed is no ExecCredential in JSON"));
  }
  const std::string_view version = string_at(answer, {"apiVersion"});
  if (version != plugin.api_version) {
    return std::unexpected(refuse("exec plugin is configured to use API version " +
                                  plugin.api_version + ", plugin returned version " +
                                  std::string(version)));
  }
  const Json* status = find_at(answer, {"status"});
  if (status == nullptr || !status->is_object()) {
    return std::unexpected(refuse("exec plugin didn't return a status field"));
  }
  return credential_of(*status);
}

std::string hint_of(const ExecPlugin& plugin) {
  if (plugin.install_hint.empty()) return "";
  std::string hint = plugin.install_hint;
  std::replace_if(
      hint.begin(), hint.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return "; " + hint;
}

}  // namespace pgc::kube
