#include "shared/kube/kubeconfig_fields.h"

#include <yaml-cpp/binary.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "shared/kube/proxy.h"

namespace pgc::kube {

namespace fs = std::filesystem;
using std::unexpected;

namespace {

// "no such file or directory", as Go and therefore kubectl spell it.
std::string last_system_error() {
  std::string text = std::generic_category().message(errno);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

// KEY=VALUE each. Without a '=' the value is empty, which fill_user refuses.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    pairs.emplace_back(text.substr(0, equals), text.substr(std::min(equals + 1, text.size())));
  }
  return pairs;
}

}  // namespace

Error refuse_kubeconfig(std::string message) {
  return {.kind = ErrorKind::kConfiguration, .message = std::move(message)};
}

Error contradictory_kubeconfig(std::vector<std::string> problems) {
  Error error = refuse_kubeconfig(problems.front());
  error.reason = kInvalidKubeconfig;
  for (std::string& problem : problems) error.causes.push_back({"", std::move(problem)});
  return error;
}

Result<std::string> read_config_file(const fs::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && fs::is_directory(path)) errno = EISDIR;
  if (!file || errno != 0) {
    return unexpected(refuse_kubeconfig("open " + path.string() + ": " + last_system_error()));
  }
  text << file.rdbuf();
  return text.str();
}

void override_cluster(ClusterFields& cluster, const KubeconfigOptions& options) {
  if (!options.server.empty()) {
    cluster.server = options.server;
    cluster.tls_server_name.clear();  // it belonged to the other server
  }
  if (!options.tls_server_name.empty()) cluster.tls_server_name = options.tls_server_name;
  if (options.insecure_skip_tls_verify) {
    cluster.insecure = true;
    cluster.ca_file.clear();
    cluster.ca_data.clear();
  }
  if (!options.certificate_authority.empty()) {
    cluster.ca_file = options.certificate_authority;
    cluster.ca_data.clear();
  }
}

void override_user(UserFields& user, const KubeconfigOptions& options) {
  if (!options.client_certificate.empty()) {
    user.certificate_file = options.client_certificate;
    user.certificate_data.clear();
  }
  if (!options.client_key.empty()) {
    user.key_file = options.client_key;
    user.key_data.clear();
  }
  if (!options.username.empty()) {
    user.username = options.username;
    user.password = options.password;
    user.token.clear();
    user.token_file.clear();
  }
  if (!options.token.empty()) {
    user.token = options.token;
    user.token_file.clear();
    user.username.clear();
    user.password.clear();
  }
  if (!options.impersonate_user.empty()) user.as = options.impersonate_user;
  if (!options.impersonate_uid.empty()) user.as_uid = options.impersonate_uid;
  if (!options.impersonate_groups.empty()) user.as_groups = options.impersonate_groups;
  if (!options.impersonate_extra.empty()) user.as_extra = pairs_of(options.impersonate_extra);
}

namespace {

// Every problem is collected, so that one look mends all.

using Problems = std::vector<std::string>;

// One of a pair like client-key and client-key-data.
struct PemSource {
  const char* what;        // "client-key", for messages
  const char* short_what;  // "client-key", as kubectl calls the pair in its message on both
  const std::string& owner;
  const std::string& file;
  const std::string& data;
};

std::string decode(const PemSource& source, Problems& problems) {
  const std::vector<unsigned char> bytes = YAML::DecodeBase64(source.data);
  if (bytes.empty()) {
    problems.push_back(std::string(source.what) + "-data of " + source.owner + " is no base64");
  }
  return {bytes.begin(), bytes.end()};
}

std::string read_pem(const PemSource& source, Problems& problems) {
  const std::string pair = source.short_what;
  if (!source.data.empty() && !source.file.empty()) {
    problems.push_back(pair + "-data and " + pair + " are both specified for " + source.owner +
                       ". " + pair + "-data will override.");
  }
  if (!source.data.empty()) return decode(source, problems);
  if (source.file.empty()) return "";
  auto text = read_config_file(source.file);
  if (text) return *text;
  problems.push_back("unable to read " + pair + " " + source.file + " for " + source.owner +
                     " due to " + text.error().message);
  return "";
}

// client-go's rule: without a scheme it is https where anything about TLS is configured.
std::string with_scheme(const ClusterFields& cluster, bool has_certificate) {
  std::string server = cluster.server;
  if (server.ends_with("://")) return server;  // no URL, and told of as it stands
  while (server.ends_with('/')) server.pop_back();
  if (server.find("://") != std::string::npos) return server;
  const bool tls = cluster.insecure || !cluster.ca_file.empty() || !cluster.ca_data.empty();
  return (tls || has_certificate ? "https://" : "http://") + server;
}

void fill_cluster(Config& config, const ClusterFields& cluster, Problems& problems) {
  config.ca_pem = read_pem({"certificate-authority", "certificate-authority", cluster.name,
                            cluster.ca_file, cluster.ca_data},
                           problems);
  config.tls_server_name = cluster.tls_server_name;
  config.insecure_skip_tls_verify = cluster.insecure;
  config.proxy_url = cluster.proxy_url;
  if (cluster.insecure && !(cluster.ca_file.empty() && cluster.ca_data.empty())) {
    problems.emplace_back(
        "specifying a root certificates file with the insecure flag is not allowed");
  }
}

void fill_certificate(Config& config, const UserFields& user, Problems& problems) {
  config.client_certificate_pem = read_pem({"client-certificate", "client-cert", user.name,
                                            user.certificate_file, user.certificate_data},
                                           problems);
  config.client_key_pem =
      read_pem({"client-key", "client-key", user.name, user.key_file, user.key_data}, problems);
  const bool certificate = !user.certificate_file.empty() || !user.certificate_data.empty();
  if (certificate && user.key_file.empty() && user.key_data.empty()) {
    problems.push_back("client-key-data or client-key must be specified for " + user.name +
                       " to use the clientCert authentication method.");
  }
}

bool has_credentials(const UserFields& user) {
  return !(user.token.empty() && user.token_file.empty() && user.username.empty() &&
           user.certificate_file.empty() && user.certificate_data.empty());
}

// A plugin is asked only where the entry does not say itself who we are.
void fill_exec(Config& config, const UserFields& user, Problems& problems) {
  if (!user.exec) return;
  if (!user.provider.empty()) {
    problems.push_back("authProvider cannot be provided in combination with an exec plugin for " +
                       user.name);
  }
  for (std::string& problem : problems_of(*user.exec, user.name)) {
    problems.push_back(std::move(problem));
  }
  if (!has_credentials(user)) config.exec = user.exec;
}

void fill_user(Config& config, const UserFields& user, Problems& problems) {
  fill_certificate(config, user, problems);
  config.token = user.token;
  config.token_file = user.token_file;
  config.username = user.username;
  config.password = user.password;
  config.impersonate_user = user.as;
  config.impersonate_uid = user.as_uid;
  config.impersonate_groups = user.as_groups;
  config.impersonate_extra = user.as_extra;
  if ((!user.token.empty() || !user.token_file.empty()) && !user.username.empty()) {
    problems.push_back("more than one authentication method found for " + user.name +
                       "; found [token basicAuth], only one is allowed");
  }
  if (user.as.empty() &&
      !(user.as_uid.empty() && user.as_groups.empty() && user.as_extra.empty())) {
    problems.push_back("requesting uid, groups or user-extra for " + user.name +
                       " without impersonating a user");
  }
  fill_exec(config, user, problems);
}

// What kubectl can do and we can't is refused: going on would act as somebody else or by another
// way than the file says.
Result<void> refuse_unsupported(const ClusterFields& cluster, const UserFields& user) {
  if (!cluster.proxy_url.empty()) {
    const auto proxy =
        parse_proxy_url(cluster.proxy_url, "proxy-url of cluster \"" + cluster.name + "\"");
    if (!proxy) return unexpected(proxy.error());
  }
  if (has_credentials(user) || user.exec || user.provider.empty()) return {};
  return unexpected(
      refuse_kubeconfig("not supported: user \"" + user.name +
                        "\" of the kubeconfig logs in by the auth-provider \"" + user.provider +
                        "\"; use an exec plugin, a client certificate, a token or a tokenFile"));
}

// It is read again and again, and may be missing then; but not at the beginning.
Result<void> look_at_token_file(const UserFields& user) {
  if (user.token_file.empty() || !user.token.empty()) return {};
  const auto token = read_config_file(user.token_file);
  if (!token) return unexpected(token.error());
  return {};
}

}  // namespace

Result<Config> to_config(const ClusterFields& cluster, const UserFields& user) {
  if (auto fine = refuse_unsupported(cluster, user); !fine) return unexpected(fine.error());
  if (auto fine = look_at_token_file(user); !fine) return unexpected(fine.error());
  Config config;
  Problems problems;
  fill_cluster(config, cluster, problems);
  config.server =
      with_scheme(cluster, !user.certificate_data.empty() || !user.certificate_file.empty());
  if (cluster.server.find("://") == std::string::npos &&
      config.server.find('/', 8) < config.server.size()) {
    return unexpected(
        refuse_kubeconfig("host must be a URL or a host:port pair: \"" + cluster.server + "\""));
  }
  // Credentials go over TLS or not at all.
  if (config.server.starts_with("https://")) fill_user(config, user, problems);
  if (!problems.empty()) return unexpected(contradictory_kubeconfig(std::move(problems)));
  if (config.exec) config.exec->cluster_config = cluster.exec_config;
  return config;
}

}  // namespace pgc::kube
