// The program kubectl-pgc where nothing is as it should be: one line that says what and where, exit
// code 1, and no secret. PGC_BIN is the folder of the programs.
#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "shared/kube/object.h"
#include "tests/support/files.h"
#include "tests/support/socket_server.h"

namespace pgc {
namespace {

using kube::Json;
using test::Peer;
using test::SocketServer;

const std::string kSecret = "s3cret-of-ours";

struct Screen {
  int exit_code = 0;
  std::string out;
  std::string err;
};

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// kubectl-pgc describe, with a kubeconfig; through a shell.
class Run {
 public:
  const test::Files files;

  Screen operator()(const std::string& kubeconfig, const std::string& arguments = "") const {
    const std::string path =
        kubeconfig.empty() ? files.path("none") : files.write("config", kubeconfig);
    const std::string command = "HTTPS_PROXY= HTTP_PROXY= " + variable("PGC_BIN", "build/dev/bin") +
                                "/kubectl-pgc describe my-db --request-timeout=2s --kubeconfig " +
                                path + " " + arguments + " </dev/null >" + files.path("out") +
                                " 2>" + files.path("err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(files.path("out")),
            read_file(files.path("err"))};
  }
};

// One line that holds all of `parts`.
void check_told(const Screen& screen, const std::vector<std::string>& parts) {
  INFO(screen.err);
  CHECK(screen.exit_code == 1);
  CHECK(screen.out.empty());
  CHECK(screen.err.find('\n') == screen.err.size() - 1);
  CHECK(screen.err.find(kSecret) == std::string::npos);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(screen.err.find(part) != std::string::npos);
  }
}

std::string kubeconfig(const Json& cluster, const Json& user) {
  return Json{{"current-context", "here"},
              {"contexts", {{{"name", "here"}, {"context", {{"cluster", "c"}, {"user", "u"}}}}}},
              {"clusters", {{{"name", "c"}, {"cluster", cluster}}}},
              {"users", {{{"name", "u"}, {"user", user}}}}}
      .dump();
}

Json server_at(const SocketServer& server) {
  return {{"server", server.url()}};
}

const Json kToken = {{"token", kSecret}};
const Json kNowhere = {{"server", "https://127.0.0.1:1"}};

TEST_CASE("a kubeconfig that can't be used is told in one line", "[kube]") {
  const Run run;
  check_told(run(""), {"none: no such file or directory"});
  check_told(run("a: [" + kSecret + "\n"), {"error loading config file", "yaml: line"});
  check_told(run("just text"), {"error loading config file", "no map"});
  check_told(run(kubeconfig(kNowhere, kToken), "--context nowhere"),
             {"context \"nowhere\" does not exist"});
  check_told(run(R"({"current-context": "gone"})"),
             {"context was not found for specified context: gone"});
  check_told(run(kubeconfig({{"server", "https://me:" + kSecret + "@h:x"}}, kToken)),
             {"no URL of an API server"});
}

TEST_CASE("two ways to log in, or none that works, are told in one line", "[kube]") {
  const Run run;
  check_told(run(kubeconfig(kNowhere, {{"token", kSecret}, {"username", "me"}})),
             {"more than one authentication method found for u"});
  check_told(run(kubeconfig(kNowhere, {{"tokenFile", "/none"}})), {"open /none: no such file"});
  check_told(run(kubeconfig(kNowhere, {{"client-certificate-data", "YQ=="},
                                       {"client-key-data", "czNjcmV0LW9mLW91cnM="}})),
             {"the client certificate and its key cannot be used together"});
  check_told(run(kubeconfig(
                 {{"server", "https://h"}, {"proxy-url", "socks5://x:" + kSecret + "@p"}}, kToken)),
             {"proxy-url of cluster \"c\"", "socks5"});
}

TEST_CASE("an exec plugin that fails is told in one line", "[kube]") {
  const Run run;
  const auto plugin = [](const std::string& script) {
    return kubeconfig(kNowhere, {{"exec",
                                  {{"apiVersion", "client.authentication.k8s.io/v1"},
                                   {"interactiveMode", "Never"},
                                   {"command", "sh"},
                                   {"args", {"-c", script}}}}});
  };
  check_told(run(plugin("echo " + kSecret)), {"what sh printed is no ExecCredential"});
  check_told(run(plugin("head -c 3000000 /dev/zero 2>/dev/null")),
             {"exec: executable sh printed over 1 MiB"});
  check_told(run(plugin("exit 7")), {"exec: executable sh failed with exit code 7"});
  check_told(run(plugin("kill -9 $$")), {"exec: executable sh was ended by a signal"});
  if (variable("PGC_TEST_FULL", "").empty()) return;
  check_told(run(plugin("sleep 1000")), {"exec: executable sh did not answer within 60 s"});
}

TEST_CASE("a server that is no API server is told in one line", "[kube]") {
  const Run run;
  const auto told = [&](const SocketServer::Script& script, const std::vector<std::string>& parts) {
    SocketServer server(script);
    check_told(run(kubeconfig(server_at(server), kToken)), parts);
  };
  const std::string page = "<html>\n<body>" + std::string(5000, 'x') + "</body>\n</html>\n";
  told([&](Peer& peer) { peer.read_request(), peer.answer(200, page); },
       {"with no object of Kubernetes"});
  told([&](Peer& peer) { peer.read_request(), peer.answer(502, page); },
       {"the server answered 502: <html>"});
  told([&](Peer& peer) { peer.read_request(), peer.answer(302, page, "Location: /login\r\n"); },
       {"the server answered 302"});
  told(
      [](Peer& peer) {
        peer.read_request(),
            peer.answer(401,
                        "{\"kind\":\"Status\",\"reason\":\"Unauthorized\",\"message\":\"no\"}");
      },
      {"You must be logged in to the server"});
  told([](Peer& peer) { peer.read_request(), peer.reset(); }, {"Unable to connect to the server"});
  told(
      [](Peer& peer) {
        peer.read_request(), peer.drip(std::string(1000, 'x'), std::chrono::milliseconds(20));
      },
      {"no whole answer in time"});
  told([](Peer& peer) { peer.read_request(), peer.write("SSH-2.0-OpenSSH_9.2\r\n"), peer.close(); },
       {"the connection was lost before the answer was whole"});
}

TEST_CASE("a server that is not the one we trust is told in one line", "[kube]") {
  const Run run;
  const x509::Pair ca = test::a_test_ca();
  SocketServer server([](Peer& peer) { peer.read_request(); },
                      test::ServerTls{test::a_test_certificate(ca)});
  const auto trusting = [&](const std::string& authority) {
    return kubeconfig(
        {{"server", server.url()}, {"certificate-authority", run.files.write("ca.pem", authority)}},
        kToken);
  };
  check_told(run(trusting(test::a_test_ca("other").certificate)),
             {"Unable to connect to the server: tls: failed to verify certificate: x509: "
              "certificate signed by unknown authority"});
  check_told(run(trusting(ca.certificate), "--tls-server-name other"),
             {"x509: certificate is valid for 127.0.0.1, not other"});
  check_told(run(trusting("nonsense")), {"no certificate in the certificate-authority"});
  CHECK(server.requests().empty());
  check_told(run(kubeconfig({{"server", "https://nowhere.invalid"}}, kToken)),
             {"lookup nowhere.invalid"});
  check_told(run(kubeconfig(kNowhere, kToken)),
             {"The connection to the server 127.0.0.1:1 was refused"});
}

}  // namespace
}  // namespace pgc
