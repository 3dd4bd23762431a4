#include "webhook/https_server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <exception>
#include <string>

#include "shared/health/listen.h"

namespace pgc::webhook {

namespace {

using SessionHandle = std::unique_ptr<SSL, x509::Freeing<SSL_free>>;
using Clock = TlsStream::Clock;

constexpr std::size_t kThreadsAlwaysThere = 8;
constexpr int kBacklog = 1'024;  // of the kernel; cpp-httplib asks for 5

// cpp-httplib's pool, with the number of those in it and before it told to `connections`.
class Workers final : public httplib::TaskQueue {
 public:
  Workers(Connections& connections, std::size_t most)
      : connections_(connections),
        pool_(std::min(kThreadsAlwaysThere, most), most, kLongestQueue) {}

  bool enqueue(std::function<void()> serve) override {
    connections_.arrived();
    const bool taken = pool_.enqueue([this, serve = std::move(serve)] {
      serve();
      connections_.gone();
    });
    if (!taken) connections_.gone();
    return taken;
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  Connections& connections_;
  httplib::ThreadPool pool_;
};

bool make_nonblocking(int socket) {
  return fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) == 0;
}

}  // namespace

Connection& Connection::of(const httplib::Request& request) {
  return *static_cast<Connection*>(SSL_get_app_data(static_cast<const SSL*>(request.ssl)));
}

HttpsServer::HttpsServer(ContextHandle context, const Limits& limits, std::size_t workers)
    : context_(std::move(context)), limits_(limits), connections_(workers, limits.grace) {
  new_task_queue = [this, workers] { return new Workers(connections_, workers); };  // it deletes it
  set_tcp_nodelay(true);
  set_post_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    response.headers.erase("Keep-Alive");  // of limits that are not ours
    if (!leaving_ || request.ssl == nullptr) return;
    Connection::of(request).last = true;
    response.set_header("Connection", "close");
  });
}

int HttpsServer::listen_on(int port) {
  const auto bound = bind_everywhere(*this, port);
  if (bound) ::listen(svr_sock_, kBacklog);
  return bound.value_or(-1);
}

void HttpsServer::end() {
  leave();
  stop();
  connections_.end();
}

bool HttpsServer::process_and_close_socket(socket_t socket) {
  try {
    if (make_nonblocking(socket)) serve(socket);
  } catch (const std::exception&) {
    tell(Ending::kNotUnderstood);  // out of memory, mostly: the connection goes, the worker stays
  }
  ::close(socket);
  return true;
}

void HttpsServer::serve(int socket) {
  const SessionHandle session(SSL_new(context_.get()));
  if (!session || SSL_set_fd(session.get(), socket) != 1) return;
  Connection connection{.stream{socket, session.get()}, .place{connections_, socket}};
  SSL_set_app_data(session.get(), &connection);
  connection.stream.until(Clock::now() + limits_.handshake);
  const bool shaken = connection.stream.shake_hands();
  while (shaken && serve_request(connection, session.get())) {
  }
  if (connection.place.crowded_out()) return tell(Ending::kCrowdedOut);
  if (connection.stream.late()) tell(Ending::kLate);
  if (!shaken) return connection.stream.late() ? void() : tell(Ending::kHandshakeFailed);
  connection.stream.until(Clock::now() + limits_.farewell);
  connection.stream.hang_up(connection.last);
}

// False where the connection is at its end.
bool HttpsServer::serve_request(Connection& connection, SSL* session) {
  connection.place.waiting();
  connection.stream.until(Clock::now() + limits_.idle);
  if (!connection.stream.wait_for_input()) return false;
  connection.place.receiving();
  connection.stream.until(Clock::now() + limits_.request);
  connection.understood = false;
  bool closed = false;
  const bool answered = process_request(connection.stream, {}, 0, {}, 0, false, closed,
                                        [&](httplib::Request& request) {
                                          connection.understood = true;
                                          request.ssl = session;
                                        });
  connection.place.answered();
  if (!connection.understood) {
    connection.last = true;
    if (!connection.stream.late()) tell(Ending::kNotUnderstood);
  }
  return answered && !closed && !connection.last;
}

}  // namespace pgc::webhook
