// The program kubectl-pgc itself against a real API server, in a namespace of its own. PGC_BIN is
// the folder of the programs.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "shared/kube/client.h"
#include "shared/kube/kubeconfig.h"
#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/yaml.h"

namespace pgc {
namespace {

using kube::Json;
using kube::Object;

constexpr kube::ResourceType kNamespaces{"", "v1", "namespaces", "Namespace", false};
constexpr kube::ResourceType kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                          "CustomResourceDefinition", false};
const std::string kNs = "kubectl-pgc-test";

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

struct Screen {
  int exit_code = 0;
  std::string text;  // both streams
};

Screen shell(const std::string& command) {
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  Screen screen;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    screen.text += static_cast<char>(c);
  screen.exit_code = WEXITSTATUS(pclose(pipe));
  return screen;
}

// kubectl-pgc ARGUMENTS, through a shell.
Screen pgc(const std::string& arguments) {
  return shell(variable("PGC_BIN").value_or("build/dev/bin") + "/kubectl-pgc " + arguments);
}

Screen kubectl(const std::string& arguments) {
  return shell(variable("PGC_KUBECTL").value_or("kubectl") + " " + arguments);
}

// True where it is there now, whoever made it.
bool made(const kube::Result<Object>& created) {
  return created.has_value() || created.error().is(kube::ErrorKind::kAlreadyExists);
}

class Server {
 public:
  Server() {
    const auto config = kube::load_kubeconfig({}, variable);
    REQUIRE(config);
    auto client = kube::make_http_client(*config, {.user_agent = "pgc-tests"});
    REQUIRE(client);
    client_ = std::move(*client);
    const auto definition = schema::parse_yaml(schema::postgrescluster_crd());
    REQUIRE(definition);
    REQUIRE(made(client_->create(kDefinitions, "", Object(definition->at(0).value), {})));
    REQUIRE(
        made(client_->create(kNamespaces, "", Object(Json{{"metadata", {{"name", kNs}}}}), {})));
    wait_until_served();
  }

  // A fresh cluster "my-db" with three replicas.
  void make_cluster(const Json& annotations = Json::object()) {
    (void)client_->remove(ref(), {});
    const Json cluster{
        {"apiVersion", "db.example.com/v1"},
        {"kind", "PostgresCluster"},
        {"metadata",
         {{"name", "my-db"}, {"labels", {{"app", "shop"}}}, {"annotations", annotations}}},
        {"spec", {{"replicas", 3}, {"version", "16"}}}};
    const auto created = client_->create(kube::kPostgresClusters, kNs, Object(cluster), {});
    REQUIRE(created);
  }

  Object cluster() {
    const auto found = client_->get(ref());
    REQUIRE(found);
    return *found;
  }

  // Who has written into the cluster.
  std::vector<std::string> managers() {
    const auto found = client_->list(kube::kPostgresClusters, {.ns = kNs, .keep = &json::whole()});
    REQUIRE(found);
    REQUIRE(found->items.size() == 1);
    std::vector<std::string> names;
    for (const Json& entry : found->items[0].json().at("metadata").at("managedFields")) {
      names.push_back(entry.at("manager"));
    }
    return names;
  }

  // Asserts nothing, so that a thread may call it.
  bool write_status(const Json& status) {
    return client_
        ->patch(ref(), kube::PatchType::kMerge, Json{{"status", status}}, {.subresource = "status"})
        .has_value();
  }

 private:
  static kube::ObjectRef ref() { return {kube::kPostgresClusters, kNs, "my-db"}; }

  void wait_until_served() {
    for (int i = 0; i < 200; ++i) {
      if (client_->list(kube::kPostgresClusters, {.ns = kNs})) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    FAIL("the API server does not serve postgresclusters within 10 s");
  }

  std::unique_ptr<kube::Client> client_;
};

std::int64_t replicas(const Object& cluster) {
  return kube::int_at(cluster.json(), {"spec", "replicas"});
}

TEST_CASE("kubectl pgc scale changes the object and says so") {
  Server server;
  server.make_cluster();
  const Screen screen = pgc("scale my-db 5 -n " + kNs);
  CHECK(screen.exit_code == 0);
  CHECK(screen.text == "postgrescluster.db.example.com/my-db scaled from 3 to 5\n");
  CHECK(replicas(server.cluster()) == 5);
  const std::vector<std::string> managers = server.managers();
  CHECK(std::ranges::count(managers, "kubectl-pgc") == 1);
}

TEST_CASE("kubectl pgc scale is refused in the server's words, and nothing changes") {
  Server server;
  server.make_cluster();
  const std::string invalid =
      "The PostgresCluster \"my-db\" is invalid: spec.replicas: Invalid value: ";
  const Screen none = pgc("scale my-db 0 -n " + kNs);
  CHECK(none.exit_code == 1);
  CHECK(none.text == invalid + "0: spec.replicas in body should be greater than or equal to 1\n");
  const Screen many = pgc("scale my-db 17 -n " + kNs);
  CHECK(many.exit_code == 1);
  CHECK(many.text == invalid + "17: spec.replicas in body should be less than or equal to 16\n");
  CHECK(replicas(server.cluster()) == 3);
  CHECK(server.cluster().generation() == 1);
}

TEST_CASE("kubectl pgc tells what is not there and what is not allowed") {
  Server server;
  server.make_cluster();
  CHECK(pgc("describe absent -n " + kNs).text ==
        "Error from server (NotFound): postgresclusters.db.example.com \"absent\" not found\n");
  CHECK(pgc("scale absent 3 -n " + kNs).exit_code == 1);
  CHECK(
      pgc("scale my-db 5 --as nobody -n " + kNs).text ==
      "Error from server (Forbidden): postgresclusters.db.example.com \"my-db\" is forbidden: User "
      "\"nobody\" cannot get resource \"postgresclusters\" in API group \"db.example.com\" in the "
      "namespace \"" +
          kNs + "\"\n");
  CHECK(pgc("describe my-db -s https://127.0.0.1:1").text ==
        "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or "
        "port?\n");
}

TEST_CASE("kubectl pgc scale --wait ends when the status says so") {
  Server server;
  server.make_cluster();
  bool written = false;
  std::thread operator_of_this_test([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    written =
        server.write_status({{"observedGeneration", 2}, {"replicas", 4}, {"readyReplicas", 4}});
  });
  const Screen screen = pgc("scale my-db 4 --wait --timeout 20s -n " + kNs);
  operator_of_this_test.join();
  REQUIRE(written);
  CHECK(screen.exit_code == 0);
  CHECK(screen.text.find("my-db: waiting for the operator to see the change\n") !=
        std::string::npos);
  CHECK(screen.text.find("postgrescluster.db.example.com/my-db has 4 of 4 replicas ready") !=
        std::string::npos);
}

TEST_CASE("kubectl pgc scale --wait gives up in time") {
  Server server;
  server.make_cluster();
  const Screen screen = pgc("scale my-db 4 --wait --timeout 1s -n " + kNs);
  CHECK(screen.exit_code == 1);
  CHECK(screen.text.ends_with(
      "error: timed out waiting for the condition on postgresclusters/my-db after 1s: waiting for "
      "the operator to see the change\n"));
}

TEST_CASE("kubectl pgc describe shows the object and its own events only") {
  Server server;
  server.make_cluster();
  REQUIRE(server.write_status(
      {{"observedGeneration", 1}, {"phase", "Ready"}, {"currentPrimary", "my-db-1-0"}}));
  const Screen screen = pgc("describe my-db -n " + kNs);
  CHECK(screen.exit_code == 0);
  CHECK(screen.text.starts_with("Name:        my-db\nNamespace:   " + kNs + "\n"));
  CHECK(screen.text.find("Primary:     my-db-1-0\n") != std::string::npos);
  CHECK(screen.text.ends_with("Events:\n  none\n"));
}

// Ages are told by the second, so a pair that a second came between is asked for once more.
void same_as_kubectl(const std::string& arguments) {
  Screen theirs;
  Screen ours;
  for (int i = 0; i < 3; ++i) {
    theirs = kubectl("get pgc " + arguments);
    ours = pgc("list " + arguments);
    if (ours.text == theirs.text) break;
  }
  CAPTURE(arguments);
  CHECK(ours.text == theirs.text);
  CHECK(ours.exit_code == theirs.exit_code);
}

TEST_CASE("kubectl pgc list prints what kubectl get pgc prints") {
  Server server;
  server.make_cluster({{"lines", "a <b>\n\"c\" & d\n"}, {"text", "yes"}, {"key", "a: b"}});
  REQUIRE(server.write_status({{"phase", "Ready"}, {"readyReplicas", 3}}));
  for (const char* what :
       {"", "-o wide", "-o json", "-o yaml", "-o name", "my-db", "my-db -o wide", "my-db -o json",
        "my-db -o yaml", "my-db -o name", "absent", "absent -o json", "-l app=shop", "-l app=x",
        "-l app=x -o json", "-l app=x -o yaml", "-l app=x -o name", "--as nobody"}) {
    same_as_kubectl(what + (" -n " + kNs));
  }
  for (const char* what : {"-A", "-A -o wide", "-A -o json", "-A -o yaml", "-A -o name",
                           "-A -l app=x", "-n nowhere"}) {
    same_as_kubectl(what);
  }
}

// A kubeconfig of the same server, whose user is whoever `program` prints.
class ExecKubeconfig {
 public:
  explicit ExecKubeconfig(const std::string& program) {
    const auto config = kube::load_kubeconfig({}, variable);
    REQUIRE(config);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "ca.pem") << config->ca_pem;
    std::ofstream(folder_ / "credential.json")
        << Json{{"apiVersion", "client.authentication.k8s.io/v1"},
                {"kind", "ExecCredential"},
                {"status",
                 {{"clientCertificateData", config->client_certificate_pem},
                  {"clientKeyData", config->client_key_pem}}}};
    const Json cluster{{"server", config->server}, {"certificate-authority", "ca.pem"}};
    const Json exec{{"apiVersion", "client.authentication.k8s.io/v1"},
                    {"command", "sh"},
                    {"interactiveMode", "IfAvailable"},
                    {"args", {"-c", "cd " + folder_.string() + " && " + program}}};
    std::ofstream(path()) << Json{
        {"current-context", "here"},
        {"contexts", {{{"name", "here"}, {"context", {{"cluster", "c"}, {"user", "u"}}}}}},
        {"clusters", {{{"name", "c"}, {"cluster", cluster}}}},
        {"users", {{{"name", "u"}, {"user", {{"exec", exec}}}}}}};
  }
  ~ExecKubeconfig() { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "config").string(); }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("pgc-exec-" + std::to_string(::getpid()));
};

TEST_CASE("kubectl-pgc is whom an exec plugin says, and tells of one that says nothing") {
  Server server;
  server.make_cluster();
  const auto describe = [](const std::string& program) {
    const ExecKubeconfig config(program);
    return pgc("describe my-db -n " + kNs + " --kubeconfig " + config.path() + " </dev/null");
  };
  const Screen fine = describe("cat credential.json");
  INFO(fine.text);
  CHECK(fine.exit_code == 0);
  CHECK(fine.text.starts_with("Name:"));
  const Screen garbage = describe("echo s3cret");
  CHECK(garbage.exit_code == 1);
  CHECK(garbage.text == "error: exec: what sh printed is no ExecCredential in JSON\n");
  const Screen failing = describe("exit 3");
  CHECK(failing.exit_code == 1);
  CHECK(failing.text ==
        "error: getting credentials: exec: executable sh failed with exit code 3\n");
}

}  // namespace
}  // namespace pgc
