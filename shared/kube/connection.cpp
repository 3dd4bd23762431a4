#include "shared/kube/connection.h"

#include <algorithm>
#include <thread>

#include "shared/kube/http1_answer.h"
#include "shared/kube/socket_handle.h"
#include "shared/kube/tls.h"
#include "shared/kube/wire.h"
#include "shared/x509/base64.h"

namespace pgc::kube {
namespace {

using std::chrono::steady_clock;

HttpAnswer head_of(const Http1Answer& answer) {
  HttpAnswer head;
  head.code = answer.code();
  head.retry_after = answer.field("Retry-After");
  for (const std::string_view warning : answer.fields("Warning")) {
    head.warnings.emplace_back(warning);
  }
  return head;
}

// A header is a line: what holds the end of one would be another header. Empty where all is well.
// The value may be a secret.
std::string header_fault(const HttpRequest& request) {
  const auto breaks_the_line = [](const auto& header) {
    return header.second.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
  };
  const auto found = std::ranges::find_if(request.headers, breaks_the_line);
  if (found == request.headers.end()) return "";
  return "net/http: invalid header field value for \"" + found->first + "\"";
}

// Between two looks at a stream on which little comes.
constexpr std::chrono::milliseconds kPause{50};

// How an answer is waited for.
struct Waiting {
  std::function<Deadline()> next_byte;  // when it must have come
  std::chrono::milliseconds pause{0};   // see Gather
};

// What comes bit by bit, as the events of a watch do, wakes us no more often than once in `pause`:
// to be woken costs several times what an event does. The first after a silence is read at once,
// and what comes in bulk is not held up.
class Gather {
 public:
  explicit Gather(std::chrono::milliseconds pause) : pause_(pause) {}

  void took(std::size_t bytes, const Wire& from) {
    if (pause_.count() == 0) return;
    if (bytes_ == 0) begun_ = steady_clock::now();
    bytes_ += bytes;
    if (from.ready()) return;
    if (bytes_ < kBulk) std::this_thread::sleep_until(begun_ + pause_);
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t kBulk = std::size_t{64} << 10;

  const std::chrono::milliseconds pause_;
  Deadline begun_;
  std::size_t bytes_ = 0;  // since it began
};

}  // namespace

struct Connection::Impl {
  ServerUrl url;
  std::optional<Proxy> proxy;
  TlsCheck check;
  TlsContext tls;
  SocketHandle socket;
  std::unique_ptr<Wire> wire;
  std::string buffer = std::string(std::size_t{16} << 10, '\0');
  bool used = false;

  // --- Opening ---

  Result<void> make(const Endpoint& endpoint, const Credential& credential) {
    url = endpoint.url;
    proxy = endpoint.proxy;
    check.insecure = endpoint.insecure;
    check.name = endpoint.tls_server_name.empty() ? url.host : endpoint.tls_server_name;
    if (!url.tls) return {};
    auto context = make_tls_context(endpoint.insecure ? "" : endpoint.ca_pem,
                                    credential.certificate_pem, credential.key_pem);
    if (!context) return std::unexpected(context.error());
    tls = *std::move(context);
    return {};
  }

  Result<void> ensure_open(Deadline deadline) {
    if (wire && !wire->stale()) return {};
    wire.reset();
    auto tcp = TcpWire::open(proxy ? proxy->host : url.host, proxy ? proxy->port : url.port,
                             deadline, [this](int made) { socket.watch(made); });
    if (!tcp) return std::unexpected(no_connection(tcp.error()));
    if (socket.is_cut()) return std::unexpected(cut_off());
    if (proxy && url.tls) {
      if (auto tunnel = dig_tunnel(**tcp, deadline); !tunnel) return tunnel;
    }
    if (!url.tls) {
      wire = *std::move(tcp);
      return {};
    }
    auto session = TlsWire::open(tls.get(), check, *std::move(tcp), deadline);
    if (!session) return std::unexpected(no_session(session.error()));
    wire = *std::move(session);
    return {};
  }

  Result<void> dig_tunnel(TcpWire& tcp, Deadline deadline) {
    const std::string there = place_of(url.host, url.port);
    const std::string text =
        "CONNECT " + there + " HTTP/1.1\r\nHost: " + there + "\r\n" + proxy_field() + "\r\n";
    Http1Answer answer([](const auto&) {}, [](auto) { return true; }, /*connect=*/true);
    const auto read = ask(tcp, text, answer, deadline, {[&] { return deadline; }});
    if (!read && read.error() == WireProblem::kLate) return std::unexpected(timed_out());
    if (answer.code() == 0) return std::unexpected(unreachable("proxy " + place() + " hung up"));
    if (answer.code() != 200) return std::unexpected(proxy_error(answer.code()));
    return {};
  }

  // The server behind a tunnel does not see it.
  std::string proxy_field() const {
    if (!proxy || proxy->username.empty()) return "";
    return "Proxy-Authorization: Basic " +
           x509::to_base64(proxy->username + ":" + proxy->password) + "\r\n";
  }

  // --- Sending ---

  std::string text_of(const HttpRequest& request) const {
    const std::string host = place_of(url.host, url.port);
    std::string text(request.method);
    text += proxy && !url.tls ? " http://" + host + request.path : " " + request.path;
    text += " HTTP/1.1\r\nHost: " + host + "\r\n";
    if (!url.tls) text += proxy_field();
    for (const auto& [name, value] : request.headers) text += name + ": " + value + "\r\n";
    if (!request.body.empty() || request.method != "GET") {
      text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    }
    return text + "\r\n" + request.body;
  }

  std::expected<void, WireProblem> read_answer(Wire& from, Http1Answer& answer,
                                               const Waiting& waiting) {
    using State = Http1Answer::State;
    Gather gather(waiting.pause);
    while (answer.state() == State::kHead || answer.state() == State::kBody) {
      const Deadline until = waiting.next_byte();  // also of a peer that always has another byte
      if (steady_clock::now() >= until) return std::unexpected(WireProblem::kLate);
      const auto got = from.read(buffer.data(), buffer.size(), until);
      if (!got && got.error() != WireProblem::kEnded) return std::unexpected(got.error());
      if (!got) {
        answer.end();
        continue;
      }
      std::string_view bytes(buffer.data(), *got);
      answer.feed(bytes);
      if (!bytes.empty()) return std::unexpected(WireProblem::kLost);  // more than was asked for
      gather.took(*got, from);
    }
    if (answer.state() == State::kBroken) return std::unexpected(WireProblem::kLost);
    return {};
  }

  std::expected<void, WireProblem> ask(Wire& there, std::string_view request, Http1Answer& answer,
                                       Deadline deadline, const Waiting& waiting) {
    if (auto written = there.write(request, deadline); !written) return written;
    return read_answer(there, answer, waiting);
  }

  // Sends the request and reads its answer. Whatever leaves the stream in the middle ends the
  // connection.
  Result<void> exchange(const HttpRequest& request, Http1Answer& answer, Deadline deadline,
                        const Waiting& waiting) {
    if (socket.is_cut()) return std::unexpected(cut_off());
    if (const auto fault = header_fault(request); !fault.empty()) {
      return std::unexpected(Error{.kind = ErrorKind::kConfiguration, .message = fault});
    }
    if (auto open = ensure_open(deadline); !open) return open;
    const auto read = ask(*wire, text_of(request), answer, deadline, waiting);
    if (!read || answer.state() != Http1Answer::State::kWhole || !answer.keeps_open()) {
      wire.reset();
    }
    if (answer.state() == Http1Answer::State::kWhole) used = true;
    if (read) return {};
    // The clock of the kernel that wakes us may be a little ahead of ours.
    const bool late = steady_clock::now() + std::chrono::milliseconds(5) >= deadline;
    return std::unexpected(lost(request, late));
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

  Error cut_off() const { return unreachable(place() + ": cut off"); }

  Error timed_out() const { return unreachable("dial tcp " + place() + ": i/o timeout"); }

  Error no_session(const TlsFailure& failure) const {
    if (failure.late) return unreachable("net/http: TLS handshake timeout with " + place());
    return unreachable(failure.message);
  }

  Error no_connection(const DialFailure& failure) const {
    Error error = unreachable((proxy ? "proxyconnect tcp: " : "") + failure.message);
    if (!proxy && failure.refused) error.reason = kConnectionRefused;
    return error;
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
  HttpAnswer answer;
  std::string body;
  Http1Answer reader([&](const Http1Answer& head) { answer = head_of(head); },
                     [&](std::string_view piece) {
                       body += piece;
                       return true;
                     });
  auto done = impl_->exchange(request, reader, deadline, {[&] { return deadline; }});
  if (!done) return std::unexpected(done.error());
  answer.body = std::move(body);
  return answer;
}

Result<HttpAnswer> Connection::stream(const HttpRequest& request, Deadline deadline,
                                      std::chrono::seconds silence,
                                      const std::function<void(int code)>& begun,
                                      const std::function<bool(std::string_view)>& take) {
  HttpAnswer answer;
  std::string body;
  Http1Answer reader(
      [&](const Http1Answer& head) {
        answer = head_of(head);
        begun(answer.code);
      },
      [&](std::string_view piece) {
        if (answer.code == 200) return take(piece);
        body += piece;
        return true;
      });
  const auto next = [&] { return answer.code == 200 ? steady_clock::now() + silence : deadline; };
  auto whole = impl_->exchange(request, reader, deadline, {next, kPause});
  if (!whole && answer.code == 0) return std::unexpected(whole.error());
  answer.body = std::move(body);
  answer.whole = reader.state() == Http1Answer::State::kWhole;
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
