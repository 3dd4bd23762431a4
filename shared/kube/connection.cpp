#include "shared/kube/connection.h"

#include <httplib.h>

#include "shared/kube/socket_handle.h"
#include "shared/kube/tls.h"

namespace pgc::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Thrown through httplib instead of sending a request for the second time, or on a connection that
// was cut while it opened.
struct NotSent {};

std::string place_of(const std::string& host, int port) {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

// A peer that vanished without a word is noticed within a minute, also on an idle watch.
void keep_socket_alive(socket_t socket) {
  httplib::default_socket_options(socket);
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, reinterpret_cast<const char*>(&on), sizeof on);
#ifdef TCP_KEEPIDLE
  const int idle = 20;
  const int interval = 10;
  const int probes = 3;
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
#endif
}

// Empty where the name has an address. httplib says of both only that there is no connection.
std::string lookup_problem(const std::string& host) {
  addrinfo* found = nullptr;
  const int problem = getaddrinfo(host.c_str(), nullptr, nullptr, &found);
  if (problem == 0) {
    freeaddrinfo(found);
    return "";
  }
  const bool nobody = problem == EAI_NONAME
#ifdef EAI_NODATA
                      || problem == EAI_NODATA
#endif
      ;
  return "dial tcp: lookup " + host + ": " + (nobody ? "no such host" : gai_strerror(problem));
}

httplib::Request wire_request(const HttpRequest& request) {
  httplib::Request wire;
  wire.method = request.method;
  wire.path = request.path;
  wire.headers.insert(request.headers.begin(), request.headers.end());
  wire.body = request.body;
  wire.start_time_ = steady_clock::now();
  return wire;
}

// CONNECT is httplib's own; all else says what it accepts.
bool is_connect(const httplib::Headers& headers) {
  const auto accept = headers.find("Accept");
  return accept == headers.end() || accept->second == "*/*";
}

HttpAnswer answer_of(const httplib::Response& response) {
  HttpAnswer answer;
  answer.code = response.status;
  answer.body = response.body;
  answer.retry_after = response.get_header_value("Retry-After");
  const auto [first, last] = response.headers.equal_range("Warning");
  for (auto header = first; header != last; ++header) answer.warnings.push_back(header->second);
  return answer;
}

}  // namespace

struct Connection::Impl {
  ServerUrl url;
  std::optional<Proxy> proxy;
  TlsCheck check;
  SocketHandle socket;
  bool sent = false;  // the request at hand
  bool used = false;
  std::unique_ptr<httplib::ClientImpl> http;  // last: it uses the others

  // --- Making ---

  Result<void> make(const Endpoint& endpoint, const Credential& credential) {
    url = endpoint.url;
    proxy = endpoint.proxy;
    check.insecure = endpoint.insecure;
    check.name = endpoint.tls_server_name.empty() ? url.host : endpoint.tls_server_name;
    if (!url.tls) {
      http = std::make_unique<httplib::ClientImpl>(url.host, url.port);
    } else if (auto made = make_tls(endpoint, credential); !made) {
      return made;
    }
    prepare();
    return {};
  }

  Result<void> make_tls(const Endpoint& endpoint, const Credential& credential) {
    const httplib::SSLClient::PemMemory pem{
        credential.certificate_pem.c_str(), credential.certificate_pem.size(),
        credential.key_pem.c_str(), credential.key_pem.size(), nullptr};
    const bool anonymous = credential.certificate_pem.empty();
    auto client = anonymous ? std::make_unique<httplib::SSLClient>(url.host, url.port)
                            : std::make_unique<httplib::SSLClient>(url.host, url.port, pem);
    if (auto shown = use_client_certificate(*client, credential.certificate_pem); !shown) {
      return shown;
    }
    if (!endpoint.insecure && !endpoint.ca_pem.empty()) {
      if (auto trusted = trust(*client, endpoint.ca_pem); !trusted) return trusted;
    }
    guard(*client, check);
    http = std::move(client);
    return {};
  }

  void prepare() {
    if (proxy) http->set_proxy(proxy->host, proxy->port);
    http->set_keep_alive(true);
    http->set_path_encode(false);
    http->set_tcp_nodelay(true);
    http->set_socket_options([this](socket_t opened) {
      keep_socket_alive(opened);
      socket.watch(static_cast<int>(opened));
    });
    http->set_header_writer([this](httplib::Stream& stream, httplib::Headers& headers) {
      return write_headers(stream, headers);
    });
  }

  // httplib would send a request again that a server took and hung up upon, and show the proxy's
  // password to the server.
  ssize_t write_headers(httplib::Stream& stream, httplib::Headers& headers) {
    if (socket.is_cut()) throw NotSent();
    if (proxy && !proxy->username.empty() && (is_connect(headers) || !url.tls)) {
      headers.insert(httplib::make_basic_authentication_header(proxy->username, proxy->password,
                                                               /*is_proxy=*/true));
    }
    if (!is_connect(headers)) {
      if (sent) throw NotSent();
      sent = true;
    }
    return httplib::detail::write_headers(stream, headers);
  }

  // --- Sending ---

  void set_timeouts(milliseconds left) {
    http->set_connection_timeout(left);
    http->set_read_timeout(left);
    http->set_write_timeout(left);
    http->set_max_timeout(left);
  }

  Result<HttpAnswer> exchange(const HttpRequest& request, const httplib::Request& wire,
                              Deadline deadline) {
    sent = false;
    httplib::Error problem = httplib::Error::Read;
    unsigned long tls_problem = 0;
    try {
      const httplib::Result result = http->send(wire);
      problem = result.error();
      tls_problem = static_cast<unsigned long>(result.ssl_backend_error());
      if (result && problem == httplib::Error::ProxyConnection) {
        return std::unexpected(proxy_error(result->status));
      }
      if (result) {
        used = true;
        return answer_of(*result);
      }
    } catch (const NotSent&) {
    }
    // The clock of the kernel that wakes us may be a little ahead of ours.
    const bool late = steady_clock::now() + milliseconds(5) >= deadline;
    return std::unexpected(sent ? lost(request, late) : not_sent(problem, tls_problem, late));
  }

  // --- Words ---

  std::string place() const {
    return proxy ? place_of(proxy->host, proxy->port) : place_of(url.host, url.port);
  }

  Error proxy_error(int code) const {
    const std::string hint = code == 407 ? ": it wants a user and a password" : "";
    return unreachable("proxy " + place() + " answered " + std::to_string(code) + " to CONNECT " +
                       place_of(url.host, url.port) + hint);
  }

  static Error unreachable(std::string message) {
    return {.kind = ErrorKind::kUnreachable, .message = std::move(message)};
  }

  Error no_connection() const {
    const std::string lookup = lookup_problem(proxy ? proxy->host : url.host);
    if (!lookup.empty()) return unreachable(lookup);
    Error error = unreachable((proxy ? "proxyconnect" : "dial") + std::string(" tcp ") + place() +
                              ": connection refused, or no way there");
    if (!proxy) error.reason = kConnectionRefused;
    return error;
  }

  Error not_sent(httplib::Error problem, unsigned long tls_problem, bool late) const {
    using enum httplib::Error;
    if (!check.problem.empty()) return unreachable(check.problem);
    if (problem == SSLConnection && late) {
      return unreachable("net/http: TLS handshake timeout with " + place());
    }
    if (late || problem == ConnectionTimeout) {
      return unreachable("dial tcp " + place() + ": i/o timeout");
    }
    if (problem == SSLConnection) return unreachable(handshake_error(tls_problem));
    if (problem == Connection) return no_connection();
    return unreachable(place() + ": " + httplib::to_string(problem));
  }

  Error lost(const HttpRequest& request, bool late) const {
    const std::string what =
        late ? "no whole answer in time" : "the connection was lost before the answer was whole";
    const bool read = request.method == "GET";
    const std::string path = request.path.substr(0, request.path.find('?'));
    const std::string end = read ? "" : "; it may have been done";
    return {
        .kind = late || !read ? ErrorKind::kTimeout : ErrorKind::kUnreachable,
        .message = place() + ": " + std::string(request.method) + " " + path + ": " + what + end};
  }
};

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Connection::~Connection() = default;

Result<std::unique_ptr<Connection>> Connection::make(const Endpoint& endpoint,
                                                     const Credential& credential) {
  auto impl = std::make_unique<Impl>();
  if (auto made = impl->make(endpoint, credential); !made) return std::unexpected(made.error());
  return std::unique_ptr<Connection>(new Connection(std::move(impl)));
}

Result<HttpAnswer> Connection::send(const HttpRequest& request, Deadline deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  impl_->set_timeouts(std::max(left, milliseconds(1)));
  return impl_->exchange(request, wire_request(request), deadline);
}

Result<HttpAnswer> Connection::stream(const HttpRequest& request, Deadline deadline,
                                      std::chrono::seconds silence,
                                      const std::function<void(int code)>& begun,
                                      const std::function<bool(std::string_view)>& take) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  impl_->set_timeouts(std::max(left, milliseconds(1)));
  impl_->http->set_read_timeout(silence);
  impl_->http->set_max_timeout(0);
  HttpAnswer answer;
  httplib::Request wire = wire_request(request);
  wire.response_handler = [&](const httplib::Response& response) {
    answer = answer_of(response);
    begun(answer.code);
    return true;
  };
  wire.content_receiver = [&](const char* data, std::size_t size, std::size_t, std::size_t) {
    if (answer.code == 200) return take({data, size});
    answer.body.append(data, size);
    return true;
  };
  auto whole = impl_->exchange(request, wire, deadline);
  if (!whole && answer.code == 0) return whole;
  answer.whole = whole.has_value();
  return answer;
}

void Connection::cut() {
  impl_->socket.cut();
}

bool Connection::is_cut() const {
  return impl_->socket.is_cut();
}

bool Connection::used() const {
  return impl_->used;
}

}  // namespace pgc::kube
