#include "shared/health/health_server.h"

#include <httplib.h>

#include <thread>

#include "shared/health/listen.h"
#include "shared/metrics/metrics.h"

namespace pgc {
namespace {

using httplib::Request;
using httplib::Response;

bool from_this_pod(const Request& request) {
  const std::string& address = request.remote_addr;
  return address == "::1" || address.starts_with("127.") || address.starts_with("::ffff:127.");
}

void answer(Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain");
}

void explain(const HealthPages& pages, const Request& request, Response& response) {
  if (!from_this_pod(request)) {
    return answer(response, 403, "for connections from the pod itself: kubectl port-forward");
  }
  const auto text =
      pages.explain(request.path_params.at("namespace"), request.path_params.at("name"));
  if (!text) return answer(response, 404, text.error());
  response.set_content(*text, "application/json");
}

}  // namespace

struct HealthServer::Listener {
  explicit Listener(HealthPages its_pages) : pages(std::move(its_pages)) {}

  const HealthPages pages;
  httplib::Server server{};
  std::jthread thread{};
};

HealthServer::HealthServer(HealthPages pages)
    : listener_(std::make_unique<Listener>(std::move(pages))) {
  const HealthPages& page = listener_->pages;
  httplib::Server& server = listener_->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(1, 4, 16); };
  server.set_payload_max_length(0);
  server.set_keep_alive_max_count(1);
  server.Get("/healthz", [](const Request&, Response& response) { answer(response, 200, "ok"); });
  server.Get("/readyz", [&page](const Request&, Response& response) {
    const auto ready = page.ready();
    answer(response, ready ? 200 : 503, ready ? "ok" : "not ready: " + ready.error());
  });
  server.Get("/metrics", [&page](const Request&, Response& response) {
    response.set_content(page.metrics(), metrics::kTextType);
  });
  if (!page.explain) return;
  server.Get(
      "/debug/clusters/:namespace/:name",
      [&page](const Request& request, Response& response) { explain(page, request, response); });
}

HealthServer::~HealthServer() {
  listener_->server.stop();
  if (listener_->thread.joinable()) listener_->thread.join();
}

std::expected<int, std::string> HealthServer::start(int port) {
  httplib::Server& server = listener_->server;
  const auto bound = bind_everywhere(server, port);
  if (!bound) {
    return std::unexpected("cannot listen on health port " + std::to_string(port) +
                           "; is another program using it?");
  }
  listener_->thread = std::jthread([&server] { server.listen_after_bind(); });
  server.wait_until_ready();
  return *bound;
}

}  // namespace pgc
