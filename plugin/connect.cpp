#include "plugin/connect.h"

#include "pgc_version.h"
#include "plugin/printers/text.h"

namespace pgc::plugin {
namespace {

kube::Error refuse(std::string message) {
  return {.kind = kube::ErrorKind::kConfiguration, .message = std::move(message)};
}

std::string user_agent() {
  return "kubectl-pgc/" + std::string(kVersion) + " (" + std::string(platform()) + ")";
}

}  // namespace

kube::Result<Connection> connect(const ConnectionFlags& flags, const Process& process) {
  const auto config = kube::load_kubeconfig(flags.kubeconfig, process.environment);
  if (!config) return std::unexpected(config.error());
  if (auto fine = check_path_segment("namespace", config->ns); !fine) {
    return std::unexpected(fine.error());
  }
  const auto warn = [&err = process.streams.err](const std::string& text) {
    err << "Warning: " << printable(text) << "\n";
  };
  auto client = process.connect(
      *config, {.user_agent = user_agent(), .timeout = flags.request_timeout, .warn = warn});
  if (!client) return std::unexpected(client.error());
  return Connection{std::move(*client), config->ns, config->server};
}

kube::Result<void> check_path_segment(const std::string& what, const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    return std::unexpected(refuse("invalid " + what + " \"" + text + "\": [" + why + "]"));
  };
  if (text.empty()) return wrong("may not be empty");
  if (text == "." || text == "..") return wrong("may not be '" + text + "'");
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string::npos) return wrong(std::string("may not contain '") + c + "'");
  }
  return {};
}

}  // namespace pgc::plugin
