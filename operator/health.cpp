#include "operator/health.h"

#include <httplib.h>

#include <thread>

namespace pgc {

struct HealthServer::Listener {
  httplib::Server server;
  std::jthread thread;
};

HealthServer::HealthServer() : listener_(std::make_unique<Listener>()) {}

HealthServer::~HealthServer() {
  listener_->server.stop();
}

std::expected<void, std::string> HealthServer::start(int port) {
  httplib::Server& server = listener_->server;
  const auto ok = [](const httplib::Request&, httplib::Response& response) {
    response.set_content("ok", "text/plain");
  };
  server.Get("/healthz", ok);
  server.Get("/readyz", ok);
  server.new_task_queue = [] { return new httplib::ThreadPool(2); };
  if (!server.bind_to_port("::", port) && !server.bind_to_port("0.0.0.0", port)) {
    return std::unexpected("cannot listen on port " + std::to_string(port));
  }
  listener_->thread = std::jthread([&server] { server.listen_after_bind(); });
  return {};
}

}  // namespace pgc
