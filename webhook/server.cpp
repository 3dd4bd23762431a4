#include "webhook/server.h"

#include <chrono>
#include <map>
#include <thread>

#include "webhook/framing.h"
#include "webhook/hook_metrics.h"
#include "webhook/https_server.h"
#include "webhook/review.h"
#include "webhook/tls_context.h"

namespace pgc::webhook {

namespace {

using Clock = std::chrono::steady_clock;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

void reply(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain; charset=utf-8");
}

// For as long as a request is being answered.
class InFlight {
 public:
  explicit InFlight(metrics::Gauge& gauge) : gauge_(gauge) { gauge_.add(1); }
  ~InFlight() { gauge_.add(-1); }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

 private:
  metrics::Gauge& gauge_;
};

// What stands behind one path.
struct Route {
  Hook hook;
  Judge judge;
  HookMetrics metrics;
};

}  // namespace

struct Server::Parts {
  Parts(const ServerOptions& wanted, ContextHandle context, const Log& lines,
        metrics::Registry& numbers)
      : log(lines),
        registry(numbers),
        endings(connection_metrics(numbers)),
        https(std::move(context), wanted.limits, wanted.workers) {
    https.set_payload_max_length(kLargestBody);
    https.on_ending([this](Ending ending) { count(ending); });
    for (const Judge& judge : wanted.judges) add_routes(judge);
    set_handlers();
  }

  // Literal paths: a pattern would be run by std::regex on what the peer sent.
  void add_routes(const Judge& judge) {
    for (const auto& [verb, hook] :
         {std::pair("mutate", Hook::kMutate), std::pair("validate", Hook::kValidate)}) {
      const std::string path = judge.path(verb);
      const auto [place, added] =
          routes.try_emplace(path, Route{hook, judge, hook_metrics(registry, path)});
      if (!added) continue;
      https.Post(path, [this, &route = place->second](const auto& request, auto& response) {
        on(route, request, response);
      });
    }
  }

  void set_handlers() {
    https.set_pre_routing_handler([this](const auto& request, auto& response) {
      const auto refusal = refused_by_its_head(request, routes.contains(request.path));
      if (!refusal) return httplib::Server::HandlerResponse::Unhandled;
      Connection::of(request).stream.stop_reading();
      reply(response, refusal->status, refusal->reason);
      return httplib::Server::HandlerResponse::Handled;
    });
    https.set_error_handler([this](const httplib::Request& request, httplib::Response& response) {
      // What was refused may not have been understood either: nothing more comes from this peer.
      if (request.ssl != nullptr) Connection::of(request).last = true;
      const bool ours = routes.contains(request.path);
      requests_without_review(registry, ours ? request.path : "", response.status).add();
      return httplib::Server::HandlerResponse::Unhandled;
    });
  }

  void on(Route& route, const httplib::Request& request, httplib::Response& response) {
    const InFlight in_flight(route.metrics.in_flight);
    Connection::of(request).place.reviewing();
    const auto begin = Clock::now();
    const auto answer = review(route.hook, route.judge, request.body);
    const std::chrono::duration<double> took = Clock::now() - begin;
    route.metrics.latency.observe(took.count());
    if (!answer) {
      log.warning("review not understood", {{"path", request.path}, {"reason", answer.error()}});
      return reply(response, 400, answer.error());
    }
    count(route.metrics, *answer);
    write_down(request.path, *answer, took);
    response.set_content(answer->body, "application/json");
  }

  void count(const HookMetrics& metrics, const Answer& answer) const {
    metrics.ok.add();
    (answer.allowed ? metrics.allowed : metrics.refused).add();
    if (answer.failed) metrics.panics.add();
  }

  void count(Ending ending) const {
    switch (ending) {
      case Ending::kHandshakeFailed:
        return endings.handshakes_failed.add();
      case Ending::kLate:
        return endings.late.add();
      case Ending::kNotUnderstood:
        return endings.not_understood.add();
      case Ending::kCrowdedOut:
        return endings.crowded_out.add();
    }
  }

  // Refusals are what people ask about; what was allowed is the rule, and two lines for each write
  // of an object would be most of what there is to read.
  void write_down(const std::string& path, const Answer& answer,
                  std::chrono::duration<double> took) const {
    const LogLevel level = answer.failed    ? LogLevel::kError
                           : answer.allowed ? LogLevel::kDebug
                                            : LogLevel::kInfo;
    if (!log.writes(level)) return;
    log.write(level, "review",
              {{"path", path},
               {"uid", answer.uid},
               {"operation", answer.operation},
               {"namespace", answer.ns},
               {"name", answer.name},
               {"allowed", answer.allowed},
               {"fields", joined(answer.fields)},
               {"micros", static_cast<std::int64_t>(took.count() * 1e6)}});
  }

  const Log& log;
  metrics::Registry& registry;
  const ConnectionMetrics endings;
  std::map<std::string, Route> routes;
  HttpsServer https;
  std::jthread thread;
};

Server::Server(const ServerOptions& options, const ServingCertificate& certificate, const Log& log,
               metrics::Registry& registry)
    : certificate_(certificate), options_(options), log_(log), registry_(registry) {}

Server::~Server() {
  stop();
}

std::expected<int, std::string> Server::start() {
  auto context = tls_context(certificate_, options_.client_ca_pem);
  if (!context) return std::unexpected(context.error());
  parts_ = std::make_unique<Parts>(options_, std::move(*context), log_, registry_);
  const int port = parts_->https.listen_on(options_.port);
  if (port < 0) {
    return std::unexpected("cannot listen on port " + std::to_string(options_.port) +
                           "; is another program using it?");
  }
  parts_->thread = std::jthread([this] { parts_->https.listen_after_bind(); });
  parts_->https.wait_until_ready();
  return port;
}

void Server::leave() {
  if (parts_) parts_->https.leave();
}

void Server::stop() {
  if (!parts_ || !parts_->thread.joinable()) return;
  parts_->https.end();
  parts_->thread.join();
}

}  // namespace pgc::webhook
