#include "shared/kube/kubeconfig.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shared/kube/object.h"
#include "tests/support/files.h"

namespace pgc::kube {
namespace {

using test::Files;

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

Result<Config> load(const std::string& text, KubeconfigOptions options = {}) {
  const Files files;
  options.kubeconfig = files.write("config", text);
  return load_kubeconfig(options, environment({}));
}

// "cluster" and "user" are what stands under those keys of the only entry of each.
std::string config_with(const std::string& cluster, const std::string& user,
                        const std::string& context = "") {
  return "current-context: here\n"
         "contexts: [{name: here, context: {cluster: c, user: u" +
         context +
         "}}]\n"
         "clusters: [{name: c, cluster: {" +
         cluster +
         "}}]\n"
         "users: [{name: u, user: {" +
         user + "}}]\n";
}

const std::string kServer = "server: 'https://db.example.com:6443'";

TEST_CASE("the current context leads to server, credentials and namespace") {
  const auto config = load(
      config_with(kServer + ", certificate-authority-data: Q0E=, tls-server-name: api",
                  "client-certificate-data: Q0VSVA==, client-key-data: S0VZ", ", namespace: shop"));
  REQUIRE(config);
  CHECK(config->server == "https://db.example.com:6443");
  CHECK(config->ca_pem == "CA");
  CHECK(config->tls_server_name == "api");
  CHECK(config->client_certificate_pem == "CERT");
  CHECK(config->client_key_pem == "KEY");
  CHECK(config->ns == "shop");
}

TEST_CASE("a kubeconfig may be JSON") {
  const auto config =
      load(R"({"current-context": "x", "contexts": [{"name": "x", "context": {"cluster": "c"}}],
                               "clusters": [{"name": "c", "cluster": {"server": "https://h"}}]})");
  REQUIRE(config);
  CHECK(config->server == "https://h");
  CHECK(config->ns == "default");
}

TEST_CASE("flags win over the file") {
  const std::string text =
      "current-context: a\n"
      "contexts: [{name: a, context: {cluster: ca, user: ua, namespace: na}},"
      "           {name: b, context: {cluster: cb, user: ub, namespace: nb}}]\n"
      "clusters: [{name: ca, cluster: {server: 'https://a', tls-server-name: ta, "
      "certificate-authority-data: Q0E=}},"
      "           {name: cb, cluster: {server: 'https://b'}}]\n"
      "users: [{name: ua, user: {token: token-a}}, {name: ub, user: {token: token-b}}]\n";

  SECTION("--context") {
    const auto config = load(text, {.context = "b"});
    REQUIRE(config);
    CHECK((config->server == "https://b" && config->token == "token-b" && config->ns == "nb"));
  }
  SECTION("--namespace") {
    CHECK(load(text, {.ns = "other"})->ns == "other");
  }
  SECTION("--cluster and --user") {
    const auto config = load(text, {.cluster = "cb", .user = "ub"});
    REQUIRE(config);
    CHECK((config->server == "https://b" && config->token == "token-b" && config->ns == "na"));
  }
  SECTION("--server leaves behind the name of the other server's certificate") {
    const auto config = load(text, {.server = "https://elsewhere"});
    REQUIRE(config);
    CHECK((config->server == "https://elsewhere" && config->tls_server_name.empty()));
  }
  SECTION("--insecure-skip-tls-verify leaves out the CA") {
    const auto config = load(text, {.insecure_skip_tls_verify = true});
    REQUIRE(config);
    CHECK((config->insecure_skip_tls_verify && config->ca_pem.empty()));
  }
  SECTION("--token, --as and --as-group") {
    const auto config =
        load(text, {.token = "t", .impersonate_user = "jane", .impersonate_groups = {"g"}});
    REQUIRE(config);
    CHECK((config->token == "t" && config->impersonate_user == "jane"));
    CHECK(config->impersonate_groups == std::vector<std::string>{"g"});
  }
}

TEST_CASE("relative paths start from the folder of their file") {
  const Files files;
  files.write("sub/ca.pem", "CA");
  files.write("sub/me.crt", "CERT");
  files.write("sub/me.key", "KEY");
  files.write("sub/token", "t");
  const std::string path = files.write(
      "sub/config",
      config_with(kServer + ", certificate-authority: ca.pem",
                  "client-certificate: ./me.crt, client-key: ../sub/me.key, tokenFile: token"));
  const auto config = load_kubeconfig({.kubeconfig = path}, environment({}));
  REQUIRE(config);
  CHECK(config->ca_pem == "CA");
  CHECK(config->client_certificate_pem == "CERT");
  CHECK(config->client_key_pem == "KEY");
  CHECK(config->token_file == files.path("sub/token"));
}

TEST_CASE("the files of KUBECONFIG merge, the first that names something wins") {
  const Files files;
  const std::string first =
      files.write("1",
                  "contexts: [{name: x, context: {cluster: c}}]\n"
                  "clusters: [{name: c, cluster: {server: 'https://first'}}]\n");
  const std::string second = files.write(
      "2",
      "current-context: x\ncontexts: [{name: x, context: {cluster: c, namespace: second}}]\n"
      "clusters: [{name: c, cluster: {server: 'https://second', tls-server-name: n}}]\n");
  const auto config = load_kubeconfig(
      {}, environment({{"KUBECONFIG", files.path("missing") + ":" + first + "::" + second}}));
  REQUIRE(config);
  CHECK(config->server == "https://first");
  CHECK(config->tls_server_name.empty());  // an entry is taken as a whole
  CHECK(config->ns == "default");
}

TEST_CASE("--kubeconfig wins over KUBECONFIG, which wins over the home folder") {
  const Files files;
  const auto with_server = [](const std::string& server) {
    return config_with("server: 'https://" + server + "'", "token: t");
  };
  files.write(".kube/config", with_server("home"));
  const std::string variable = files.write("variable", with_server("variable"));
  const std::string flag = files.write("flag", with_server("flag"));
  const auto home = environment({{"HOME", files.path("")}});
  const auto both = environment({{"HOME", files.path("")}, {"KUBECONFIG", variable}});
  CHECK(load_kubeconfig({}, home)->server == "https://home");
  CHECK(load_kubeconfig({}, both)->server == "https://variable");
  CHECK(load_kubeconfig({.kubeconfig = flag}, both)->server == "https://flag");
}

TEST_CASE("a server without a scheme is reached by TLS where anything about TLS is said") {
  CHECK(load(config_with("server: 'h:1'", ""))->server == "http://h:1");
  CHECK(load(config_with("server: 'https://'", ""))->server == "https://");
  CHECK(load(config_with("server: 'h:1', insecure-skip-tls-verify: true", ""))->server ==
        "https://h:1");
  CHECK(load(config_with("server: 'h:1', certificate-authority-data: Q0E=", ""))->server ==
        "https://h:1");
  CHECK(load(config_with("server: 'https://h:1/prefix/'", ""))->server == "https://h:1/prefix");
}

TEST_CASE("credentials are kept from a server without TLS") {
  const auto config =
      load(config_with("server: 'http://h'", "token: secret, username: u, password: p"));
  REQUIRE(config);
  CHECK((config->token.empty() && config->username.empty() && config->password.empty()));
}

struct Refusal {
  const char* name;
  std::string cluster;
  std::string user;
  std::vector<std::string> problems;
};

TEST_CASE("entries that contradict themselves are refused with every reason") {
  const Refusal cases[] = {
      {"no server", "", "token: t", {"no server found for cluster \"c\""}},
      {"certificate without a key",
       kServer,
       "client-certificate-data: Q0VSVA==",
       {"client-key-data or client-key must be specified for u to use the clientCert "
        "authentication method."}},
      {"file and data",
       kServer + ", certificate-authority: /none, certificate-authority-data: Q0E=",
       "",
       {"certificate-authority-data and certificate-authority are both specified for c. "
        "certificate-authority-data will override."}},
      {"missing files",
       kServer + ", certificate-authority: /none/ca",
       "client-certificate: /none/crt, client-key: /none/key",
       {"unable to read certificate-authority /none/ca for c due to open /none/ca: no such file or "
        "directory",
        "unable to read client-cert /none/crt for u due to open /none/crt: no such file or "
        "directory",
        "unable to read client-key /none/key for u due to open /none/key: no such file or "
        "directory"}},
      {"no base64",
       kServer + ", certificate-authority-data: '*'",
       "",
       {"certificate-authority-data of c is no base64"}},
      {"CA and insecure",
       kServer + ", certificate-authority-data: Q0E=, insecure-skip-tls-verify: true",
       "",
       {"specifying a root certificates file with the insecure flag is not allowed"}},
      {"two ways to log in",
       kServer,
       "token: t, username: me, password: p",
       {"more than one authentication method found for u; found [token basicAuth], only one is "
        "allowed"}},
      {"groups of nobody",
       kServer,
       "as-groups: [g]",
       {"requesting uid, groups or user-extra for u without impersonating a user"}},
  };
  for (const Refusal& c : cases) {
    DYNAMIC_SECTION(c.name) {
      const auto config = load(config_with(c.cluster, c.user));
      REQUIRE_FALSE(config);
      CHECK(config.error().is(ErrorKind::kConfiguration));
      CHECK(config.error().reason == kInvalidKubeconfig);
      std::vector<std::string> problems;
      for (const Cause& cause : config.error().causes) problems.push_back(cause.message);
      CHECK(problems == c.problems);
    }
  }
}

TEST_CASE("what is not supported is refused, never ignored") {
  const auto refusal = [](const std::string& cluster, const std::string& user) {
    const auto config = load(config_with(cluster, user));
    return config ? std::string("accepted") : config.error().message;
  };
  CHECK(refusal(kServer, "auth-provider: {name: oidc}") ==
        "not supported: user \"u\" of the kubeconfig logs in by the auth-provider \"oidc\"; use an "
        "exec plugin, a client certificate, a token or a tokenFile");
  CHECK(refusal(kServer + ", proxy-url: 'socks5://me:secret@proxy'", "token: t") ==
        "proxy-url of cluster \"c\": not supported: a proxy by socks5; give one by http, which can "
        "carry TLS as well");
  CHECK(refusal("server: 'h:1/prefix'", "") ==
        "host must be a URL or a host:port pair: \"h:1/prefix\"");
}

TEST_CASE("a cluster may be reached through a proxy") {
  const auto config = load(config_with(kServer + ", proxy-url: 'http://proxy:3128'", "token: t"));
  REQUIRE(config);
  CHECK(config->proxy_url == "http://proxy:3128");
}

TEST_CASE("a token file must be there at the beginning") {
  const Files files;
  const std::string path = files.write("token", "t");
  CHECK(load(config_with(kServer, "tokenFile: " + path))->token_file == path);
  CHECK(load(config_with(kServer, "tokenFile: /none")).error().message ==
        "open /none: no such file or directory");
  CHECK(load(config_with(kServer, "tokenFile: /none, token: t")));
}

TEST_CASE("an exec plugin is read whole") {
  const Files files;
  KubeconfigOptions options;
  options.kubeconfig = files.write(
      "config",
      config_with(kServer,
                  "exec: {apiVersion: client.authentication.k8s.io/v1, command: bin/get-token, "
                  "args: [--cluster, a], env: [{name: REGION, value: b}], installHint: get it, "
                  "provideClusterInfo: true, interactiveMode: Never}"));
  const auto config = load_kubeconfig(options, environment({}));
  REQUIRE(config);
  REQUIRE(config->exec);
  CHECK(config->exec->api_version == "client.authentication.k8s.io/v1");
  CHECK(config->exec->command == files.path("bin/get-token"));  // from the folder of the file
  CHECK(config->exec->arguments == std::vector<std::string>{"--cluster", "a"});
  CHECK(config->exec->environment ==
        std::vector<std::pair<std::string, std::string>>{{"REGION", "b"}});
  CHECK(config->exec->install_hint == "get it");
  CHECK(config->exec->provide_cluster_info);
  CHECK(config->exec->interactive_mode == InteractiveMode::kNever);
  CHECK(config->exec->cluster_config.empty());
}

TEST_CASE("what a cluster says to exec plugins reaches them as JSON") {
  const auto config = load(config_with(
      kServer +
          ", extensions: [{name: other, extension: 1}, {name: client.authentication.k8s.io/exec, "
          "extension: {audience: x, quoted: '7', n: 7, f: 1.5, yes: true, no: ~, l: [a, {b: c}]}}]",
      "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: get-token}"));
  REQUIRE(config);
  REQUIRE(config->exec);
  CHECK(Json::parse(config->exec->cluster_config) ==
        Json::parse(R"({"audience": "x", "quoted": "7", "n": 7, "f": 1.5, "yes": true, "no": null,
                        "l": ["a", {"b": "c"}]})"));
}

TEST_CASE("an exec plugin stands back for what the entry itself says") {
  const std::string exec =
      "exec: {apiVersion: client.authentication.k8s.io/v1, command: get-token, interactiveMode: "
      "Never}";
  CHECK(load(config_with(kServer, exec))->exec);
  CHECK(load(config_with(kServer, exec))->exec->command == "get-token");  // found on the PATH
  CHECK_FALSE(load(config_with(kServer, exec + ", token: t"))->exec);
  KubeconfigOptions options;
  options.token = "t";
  CHECK_FALSE(load(config_with(kServer, exec), options)->exec);
}

TEST_CASE("an exec plugin that cannot work is refused before it runs") {
  const auto problem = [](const std::string& exec) {
    const auto config = load(config_with(kServer, "exec: " + exec));
    return config ? std::string("accepted") : config.error().message;
  };
  CHECK(problem("{apiVersion: client.authentication.k8s.io/v1beta1}") ==
        "command must be specified for u to use exec authentication plugin");
  CHECK(problem("{command: get-token}") ==
        "apiVersion must be specified for u to use exec authentication plugin");
  CHECK(problem("{command: get-token, apiVersion: client.authentication.k8s.io/v1alpha1}")
            .starts_with("exec plugin: invalid apiVersion"));
  CHECK(problem(
            "{command: a, apiVersion: client.authentication.k8s.io/v1beta1, env: [{value: b}]}") ==
        "env variable name must be specified for u to use exec authentication plugin");
  CHECK(problem("{command: a, apiVersion: client.authentication.k8s.io/v1}") ==
        "interactiveMode must be specified for u to use exec authentication plugin");
  CHECK(problem("{command: a, apiVersion: client.authentication.k8s.io/v1beta1}") == "accepted");
  CHECK(problem("{command: a, apiVersion: client.authentication.k8s.io/v1, interactiveMode: x}") ==
        "invalid interactiveMode for u: \"x\"");
}

TEST_CASE("all of an impersonation comes through, from the file or from flags") {
  const auto config = load(config_with(
      kServer,
      "token: t, as: jane, as-uid: '7', as-groups: [dev], as-user-extra: {scope: [a, b]}"));
  REQUIRE(config);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(config->impersonate_user == "jane");
  CHECK(config->impersonate_uid == "7");
  CHECK(config->impersonate_groups == std::vector<std::string>{"dev"});
  CHECK(config->impersonate_extra == Pairs{{"scope", "a"}, {"scope", "b"}});

  KubeconfigOptions options;
  options.impersonate_user = "joe";
  options.impersonate_uid = "8";
  options.impersonate_extra = {"scope=c=d", "flag"};
  const auto flags = load(config_with(kServer, "token: t"), options);
  REQUIRE(flags);
  CHECK(flags->impersonate_uid == "8");
  CHECK(flags->impersonate_extra == Pairs{{"scope", "c=d"}, {"flag", ""}});

  const auto nobody = load(config_with(kServer, "token: t, as-uid: '7'"));
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().message ==
        "requesting uid, groups or user-extra for u without impersonating a user");
}

TEST_CASE("certificate and name come from flags, too") {
  const Files files;
  KubeconfigOptions options;
  options.client_certificate = files.write("crt", "certificate");
  options.client_key = files.write("key", "key");
  options.username = "joe";
  options.password = "secret";
  const auto config = load(config_with(kServer, "token: t"), options);
  REQUIRE(config);
  CHECK(config->client_certificate_pem == "certificate");
  CHECK(config->client_key_pem == "key");
  CHECK(config->username == "joe");
  CHECK(config->token.empty());
}

TEST_CASE("what is missing is said in kubectl's words") {
  const auto message = [](const Result<Config>& config) {
    return config ? std::string("accepted") : config.error().message;
  };
  const std::string fine = config_with(kServer, "token: t");
  CHECK(message(load(fine, {.context = "x"})) == "context \"x\" does not exist");
  CHECK(message(load(fine, {.cluster = "x"})) == "cluster \"x\" does not exist");
  CHECK(message(load(fine, {.user = "x"})) == "auth info \"x\" does not exist");
  CHECK(message(load("current-context: gone")) ==
        "context was not found for specified context: gone");
  CHECK(message(load("")) ==
        "no context is chosen: give --context NAME, or set current-context in the kubeconfig");
  CHECK(message(load_kubeconfig({.kubeconfig = "/none"}, environment({}))) ==
        "stat /none: no such file or directory");
  CHECK(message(load_kubeconfig({}, environment({{"HOME", "/none"}}))) ==
        "no configuration has been provided: no file at /none/.kube/config; give --kubeconfig FILE "
        "or set KUBECONFIG");
  CHECK(
      message(load_kubeconfig({}, environment({{"KUBECONFIG", "/none/a:/none/b"}}))) ==
      "no configuration has been provided: no file at /none/a, /none/b; give --kubeconfig FILE or "
      "set KUBECONFIG");
}

TEST_CASE("a file that is no YAML is named with the line") {
  const Files files;
  const std::string path = files.write("broken", "clusters:\n- [\n");
  const auto config = load_kubeconfig({.kubeconfig = path}, environment({}));
  REQUIRE_FALSE(config);
  CHECK(config.error().message.starts_with("error loading config file \"" + path +
                                           "\": yaml: line 3: "));
}

TEST_CASE("no shape of a file makes the reader fall over") {
  for (const char* text : {"[]", "text", "contexts: 7", "contexts: [7, {name: [x]}]",
                           "clusters: [{}]", "current-context: [a]", "users: {a: b}", "~",
                           "a: &x [*x]", "current-context: h\ncontexts: [{name: h, context: [1]}]",
                           "current-context: h\ncontexts: [{name: h, context: {cluster: {}}}]"}) {
    CAPTURE(text);
    CHECK_FALSE(load(text));
  }
}

}  // namespace
}  // namespace pgc::kube
