#include "webhook/server.h"

#include <httplib.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <thread>

#include "shared/x509/handles.h"
#include "webhook/review.h"
#include "webhook/socket_options.h"

namespace pgc::webhook {

namespace {

// Two objects of 3 MiB, the most that the API server stores, and room for the envelope.
constexpr std::size_t kLargestBody = 7U << 20;
constexpr std::size_t kLongestQueue = 64;
constexpr time_t kReadTimeout = 5;  // of a single read; the guard bounds their sum
constexpr time_t kWriteTimeout = 5;
constexpr time_t kIdleTimeout = 95;  // longer than the API server's 90 s, so that it closes first
constexpr std::size_t kRequestsPerConnection = 1'000'000;

int use_current_certificate(SSL* handshake, void* certificate) {
  return static_cast<const ServingCertificate*>(certificate)->apply_to(handshake) ? 1 : 0;
}

bool require_client_certificate(SSL_CTX* context, const std::string& ca_pem) {
  const auto roots = x509::read_certificates(ca_pem);
  for (const auto& root : roots) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root.get());
    SSL_CTX_add_client_CA(context, root.get());
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return !roots.empty();
}

// No resumption: it would outlive a change of certificate, and is of no use between two replicas.
void forbid_resumption(SSL_CTX* context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context, 0);
}

bool is_json(const httplib::Request& request) {
  const std::string type = request.get_header_value("Content-Type");
  return type == "application/json" || type.starts_with("application/json;");
}

void reply(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain");
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

}  // namespace

struct Server::Parts {
  Parts(const ServerOptions& wanted, const ServingCertificate& shown, const Log& lines)
      : options(wanted),
        certificate(shown),
        log(lines),
        guard(wanted.limits),
        https([this](httplib::tls::ctx_t context) {
          return set_up(static_cast<SSL_CTX*>(context));
        }) {
    set_limits();
    set_routes();
  }

  bool set_up(SSL_CTX* context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    forbid_resumption(context);
    // The certificate is chosen in each handshake; the callback's argument is only read.
    SSL_CTX_set_cert_cb(context, use_current_certificate,
                        const_cast<ServingCertificate*>(&certificate));
    guard.attach(context);
    return options.client_ca_pem.empty() ||
           require_client_certificate(context, options.client_ca_pem);
  }

  void set_limits() {
    https.set_payload_max_length(kLargestBody);
    https.set_read_timeout(kReadTimeout);
    https.set_write_timeout(kWriteTimeout);
    https.set_keep_alive_timeout(kIdleTimeout);
    https.set_keep_alive_max_count(kRequestsPerConnection);
    https.set_tcp_nodelay(true);
    https.set_socket_options(reuse_address_only);
    https.new_task_queue = [workers = options.workers] {
      return new httplib::ThreadPool(8, workers, kLongestQueue);  // httplib deletes it
    };
  }

  void set_routes() {
    https.set_pre_routing_handler(
        [this](const auto& request, auto& response) { return before_the_body(request, response); });
    https.set_logger([this](const httplib::Request& request, const httplib::Response&) {
      guard.request_ends(static_cast<const SSL*>(request.ssl));
    });
    // Literal paths: a pattern would be run by std::regex on what the peer sent.
    https.Post(
        "/mutate-db-example-com-v1-postgrescluster",
        [this](const auto& request, auto& response) { on(Hook::kMutate, request, response); });
    https.Post(
        "/validate-db-example-com-v1-postgrescluster",
        [this](const auto& request, auto& response) { on(Hook::kValidate, request, response); });
  }

  // What is refused by its headers alone is not read. The API server always sends a Content-Length;
  // a chunked body it never sends, and the parsing of those is where HTTP libraries have had most
  // of their holes.
  httplib::Server::HandlerResponse before_the_body(const httplib::Request& request,
                                                   httplib::Response& response) {
    guard.request_begins(static_cast<const SSL*>(request.ssl));
    if (request.has_header("Transfer-Encoding")) {
      reply_unread(request, response, 411, "send a Content-Length, not a Transfer-Encoding");
    } else if (request.get_header_value_u64("Content-Length") > kLargestBody) {
      reply_unread(request, response, 413, "at most " + std::to_string(kLargestBody) + " bytes");
    } else {
      return httplib::Server::HandlerResponse::Unhandled;
    }
    return httplib::Server::HandlerResponse::Handled;
  }

  // The last answer of a connection. cpp-httplib would now read the rest of the request, with the
  // very parser that is to see none of it. So when the answer is written, which is when the
  // provider is let go, the session is told that the peer has said all it had to say.
  void reply_unread(const httplib::Request& request, httplib::Response& response, int status,
                    std::string text) {
    auto* session = const_cast<SSL*>(static_cast<const SSL*>(request.ssl));
    text += "\n";
    response.status = status;
    response.set_content_provider(
        text.size(), "text/plain",
        [text](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          return sink.write(text.data() + offset, length);
        },
        [this, session](bool) {
          SSL_set_shutdown(session, SSL_get_shutdown(session) | SSL_RECEIVED_SHUTDOWN);
          guard.connection_ends(session);
        });
  }

  void on(Hook hook, const httplib::Request& request, httplib::Response& response) {
    if (!is_json(request)) return reply(response, 400, "expected Content-Type application/json");
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = review(hook, request.body);
    if (!answer) {
      log.warning("review not understood", {{"path", request.path}, {"reason", answer.error()}});
      return reply(response, 400, answer.error());
    }
    response.set_content(answer->body, "application/json");
    const auto took = std::chrono::steady_clock::now() - begin;
    log.info("review",
             {{"path", request.path},
              {"uid", answer->uid},
              {"operation", answer->operation},
              {"namespace", answer->ns},
              {"name", answer->name},
              {"allowed", answer->allowed},
              {"fields", joined(answer->fields)},
              {"micros", std::chrono::duration_cast<std::chrono::microseconds>(took).count()}});
  }

  // One socket for IPv4 and IPv6 where the node has both, else for IPv4.
  int bind() {
    for (const char* address : {"::", "0.0.0.0"}) {
      if (options.port != 0 && https.bind_to_port(address, options.port)) return options.port;
      if (options.port == 0) {
        if (const int port = https.bind_to_any_port(address); port > 0) return port;
      }
    }
    return -1;
  }

  const ServerOptions options;
  const ServingCertificate& certificate;
  const Log& log;
  ConnectionGuard guard;
  httplib::SSLServer https;
  std::jthread thread;
};

Server::Server(const ServerOptions& options, const ServingCertificate& certificate, const Log& log)
    : parts_(std::make_unique<Parts>(options, certificate, log)) {}

Server::~Server() {
  stop();
}

std::expected<int, std::string> Server::start() {
  if (!parts_->https.is_valid()) {
    return std::unexpected("TLS cannot be set up: the client CA holds no certificate in PEM form");
  }
  const int port = parts_->bind();
  if (port < 0) {
    return std::unexpected("cannot listen on port " + std::to_string(parts_->options.port) +
                           "; is another program using it?");
  }
  parts_->thread = std::jthread([this] { parts_->https.listen_after_bind(); });
  parts_->https.wait_until_ready();
  return port;
}

void Server::stop() {
  parts_->https.stop();
  if (parts_->thread.joinable()) parts_->thread.join();
}

}  // namespace pgc::webhook
