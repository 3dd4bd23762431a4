// pgc-agent: the sidecar of a member. Looks, publishes, sleeps. It takes no commands and opens no
// port.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <thread>

#include "agent/publish.h"
#include "pgc_version.h"
#include "shared/kube/config.h"
#include "shared/kube/kubeconfig.h"
#include "shared/log/log.h"

namespace {

using namespace pgc;
using std::chrono::seconds;

constexpr seconds kLongestPause{60};

struct Options {
  agent::Directories directories;
  std::vector<std::string> secrets;  // NAME=PATH
  seconds interval{10};
};

// As PID 1 of its container the process would otherwise ignore SIGTERM.
void end_at_once(int) {
  _exit(0);
}

std::string name_and_path(const std::string& text) {
  const auto equals = text.find('=');
  const bool good = equals != std::string::npos && equals > 0 && equals + 1 < text.size();
  return good ? "" : "expected NAME=PATH, got " + text;
}

void describe(CLI::App& app, Options& options) {
  app.set_version_flag("--version", std::string(kVersion));
  app.add_option("--data-dir", options.directories.data, "where the data volume is mounted")
      ->required();
  app.add_option("--wal-dir", options.directories.wal,
                 "where the WAL volume is mounted, if it has one");
  app.add_option("--secret-dir", options.secrets, "a mounted Secret; may be given several times")
      ->type_name("NAME=PATH")
      ->check(name_and_path);
  app.add_option("--interval", options.interval, "seconds between two looks")
      ->capture_default_str()
      ->check(CLI::Range(1, 3600));
}

void take_apart(Options& options) {
  for (const std::string& secret : options.secrets) {
    const auto equals = secret.find('=');
    options.directories.secrets[secret.substr(0, equals)] = secret.substr(equals + 1);
  }
}

kube::Result<std::unique_ptr<kube::Client>> connect() {
  const auto config = kube::in_cluster_config();
  if (!config) return std::unexpected(config.error());
  return kube::make_http_client(*config, {.user_agent = "pgc-agent/" + std::string(kVersion)});
}

[[noreturn]] void run(agent::Publisher& publisher, const Options& options, const Log& log) {
  seconds pause = options.interval;
  while (true) {
    const auto published = publisher.publish(agent::observe(options.directories));
    if (!published) log.warning("report not published", {{"reason", published.error().message}});
    pause = published ? options.interval : std::min(pause * 2, std::max(kLongestPause, pause));
    std::this_thread::sleep_for(pause);
  }
}

int start(const Options& options) {
  std::signal(SIGTERM, end_at_once);
  std::signal(SIGINT, end_at_once);
  std::signal(SIGPIPE, SIG_IGN);
  const Log log;
  const std::string ns = kube::environment_variable("POD_NAMESPACE").value_or("");
  const std::string pod = kube::environment_variable("POD_NAME").value_or("");
  if (ns.empty() || pod.empty()) {
    log.error("cannot start", {{"reason", "POD_NAME and POD_NAMESPACE must name the agent's pod"}});
    return 1;
  }
  const auto client = connect();
  if (!client) {
    log.error("cannot start", {{"reason", client.error().message}});
    return 1;
  }
  agent::Publisher publisher(**client, ns, pod);
  log.info("reporting", {{"version", std::string(kVersion)}, {"pod", pod}});
  run(publisher, options, log);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Publishes free space and mounted certificates of a member as an annotation of its pod.",
      "pgc-agent");
  Options options;
  describe(app, options);
  CLI11_PARSE(app, argc, argv);
  take_apart(options);
  return start(options);
}
