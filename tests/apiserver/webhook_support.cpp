#include "tests/apiserver/webhook_support.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "shared/kube/kubeconfig.h"
#include "shared/schema/structural/yaml.h"

extern char** environ;

namespace pgc::webhook::testing {

namespace {

std::string read_file(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

x509::Validity this_week() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {now - std::chrono::minutes(5), now + std::chrono::days(7)};
}

}  // namespace

kube::Config cluster_config() {
  if (std::getenv("KUBECONFIG") == nullptr) SKIP("KUBECONFIG names no cluster");
  const auto config = kube::load_kubeconfig({}, [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  });
  if (!config) FAIL(config.error().message);
  return *config;
}

std::unique_ptr<kube::Client> connect(const kube::Config& config) {
  auto client = kube::make_http_client(config, {.user_agent = "pgc-apiserver-tests"});
  if (!client) FAIL(client.error().message);
  return std::move(*client);
}

// A connected datagram socket sends nothing; it only makes the kernel choose a way.
std::string own_address(const kube::Config& config) {
  const auto begin = config.server.find("://") + 3;
  const auto end = config.server.find(':', begin);
  sockaddr_in peer{};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(9);
  REQUIRE(inet_pton(AF_INET, config.server.substr(begin, end - begin).c_str(), &peer.sin_addr) ==
          1);
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in own{};
  socklen_t size = sizeof own;
  REQUIRE(::connect(socket, reinterpret_cast<const sockaddr*>(&peer), sizeof peer) == 0);
  REQUIRE(getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0);
  close(socket);
  char text[INET_ADDRSTRLEN];
  return inet_ntop(AF_INET, &own.sin_addr, text, sizeof text);
}

std::vector<Json> documents_of(const std::string& path) {
  std::vector<Json> documents;
  const auto parsed = schema::parse_yaml(read_file(std::string(PGC_SOURCE_DIR) + "/" + path));
  if (!parsed) FAIL(path << ": " << parsed.error().message);
  for (const auto& document : *parsed) documents.push_back(document.value);
  return documents;
}

void install_crd(kube::Client& client) {
  constexpr kube::ResourceType kDefinitions{
      "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};
  kube::WriteOptions options;
  options.field_manager = "pgc-apiserver-tests";
  options.force = true;
  const Json crd = documents_of("manifests/crd/postgresclusters.yaml").at(0);
  const auto applied = client.patch({kDefinitions, "", "postgresclusters.db.example.com"},
                                    kube::PatchType::kApply, crd, options);
  if (!applied) FAIL(applied.error().message);
  const bool served = eventually([&] {
    return client
        .list(kube::kPostgresClusters,
              {.ns = "default", .label_selector = {}, .field_selector = {}})
        .has_value();
  });
  REQUIRE(served);
}

bool eventually(const std::function<bool()>& condition) {
  for (int attempt = 0; attempt < 200; ++attempt) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

x509::Pair make_ca() {
  return x509::make_ca("pgc test CA", this_week(), x509::random_serial()).value();
}

x509::Pair make_leaf(const x509::Pair& ca, const std::string& server_name,
                     const std::string& address) {
  return x509::issue_leaf(ca,
                          {.common_name = "pgc-webhook",
                           .dns_names = {server_name},
                           .ip_addresses = {address},
                           .validity = this_week(),
                           .usage = x509::Usage::kServer},
                          x509::random_serial())
      .value();
}

Program::Program(const std::vector<std::string>& command, std::string log_file)
    : log_file_(std::move(log_file)) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_file_.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int failed = posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  INFO("starting " << command[0]);
  REQUIRE(failed == 0);
}

Program::~Program() {
  terminate();
}

int Program::terminate() {
  if (pid_ == 0) return 0;
  int status = 0;
  kill(pid_, SIGTERM);
  waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string Program::log() const {
  return read_file(log_file_);
}

int Program::logged(const std::string& key) const {
  const std::string marker = "\"" + key + "\":";
  eventually([&] { return log().find(marker) != std::string::npos; });
  const std::string text = log();
  const auto found = text.find(marker);
  return found == std::string::npos ? 0 : std::atoi(text.c_str() + found + marker.size());
}

}  // namespace pgc::webhook::testing
