#include "shared/kube/wire.h"

#include <httplib.h>

#include <algorithm>
#include <limits>
#include <system_error>

namespace pgc::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

#ifdef _WIN32
int last_problem() {
  return WSAGetLastError();
}
bool try_again(int problem) {
  return problem == WSAEWOULDBLOCK;
}
bool under_way(int problem) {
  return problem == WSAEWOULDBLOCK;
}
constexpr int kRefused = WSAECONNREFUSED;
#else
int last_problem() {
  return errno;
}
bool try_again(int problem) {
  return problem == EAGAIN || problem == EWOULDBLOCK || problem == EINTR;
}
bool under_way(int problem) {
  return problem == EINPROGRESS || problem == EINTR;
}
constexpr int kRefused = ECONNREFUSED;
#endif

// A peer that vanished without a word is noticed within a minute, also on an idle watch.
void set_options(socket_t socket) {
  httplib::set_socket_opt(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
  httplib::set_socket_opt(socket, IPPROTO_TCP, TCP_KEEPIDLE, 20);  // seconds
  httplib::set_socket_opt(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  httplib::set_socket_opt(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
}

// At least nothing, at most what fits.
int milliseconds_until(Deadline deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
}

std::expected<void, WireProblem> wait_for(socket_t socket, TcpWire::For what, Deadline deadline) {
  pollfd waits{};
  waits.fd = socket;
  waits.events = what == TcpWire::For::kRead ? POLLIN : POLLOUT;
  for (;;) {
    const int ready = httplib::detail::poll_wrapper(&waits, 1, milliseconds_until(deadline));
    if (ready > 0) return {};
    if (ready < 0 && !try_again(last_problem())) return std::unexpected(WireProblem::kLost);
    if (steady_clock::now() >= deadline) return std::unexpected(WireProblem::kLate);
  }
}

int problem_of(socket_t socket) {
  int problem = 0;
  socklen_t size = sizeof problem;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, reinterpret_cast<char*>(&problem), &size);
  return problem;
}

// "connection refused"
std::string words_of(int problem) {
  std::string words = std::system_category().message(problem);
  if (!words.empty() && words[0] >= 'A' && words[0] <= 'Z') {
    words[0] = static_cast<char>(words[0] - 'A' + 'a');
  }
  return words;
}

std::expected<void, DialFailure> connect(socket_t socket, const addrinfo& address,
                                         const std::string& place, Deadline deadline) {
  httplib::detail::set_nonblocking(socket, true);
  const auto done = ::connect(socket, address.ai_addr, static_cast<socklen_t>(address.ai_addrlen));
  int problem = done == 0 ? 0 : last_problem();
  if (done != 0 && under_way(problem)) {
    if (!wait_for(socket, TcpWire::For::kWrite, deadline)) {
      return std::unexpected(
          DialFailure{.late = true, .message = "dial tcp " + place + ": i/o timeout"});
    }
    problem = problem_of(socket);
  }
  if (problem == 0) return {};
  return std::unexpected(
      DialFailure{.refused = problem == kRefused,
                  .message = "dial tcp " + place + ": connect: " + words_of(problem)});
}

// Of a host for which no socket could be made: why its name leads nowhere.
std::string lookup_problem(const std::string& host) {
  addrinfo* found = nullptr;
  const int problem = getaddrinfo(host.c_str(), nullptr, nullptr, &found);
  if (problem == 0) {
    freeaddrinfo(found);
    return "dial tcp: " + host + " has no address that can be used here";
  }
  const bool nobody = problem == EAI_NONAME
#ifdef EAI_NODATA
                      || problem == EAI_NODATA
#endif
      ;
  return "dial tcp: lookup " + host + ": " + (nobody ? "no such host" : gai_strerror(problem));
}

}  // namespace

std::string place_of(const std::string& host, int port) {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

// --- TcpWire ---

std::expected<std::unique_ptr<TcpWire>, DialFailure> TcpWire::open(
    const std::string& host, int port, Deadline deadline,
    const std::function<void(int socket)>& opened) {
  DialFailure first;
  const auto try_one = [&](socket_t made, const addrinfo& address, bool& give_up) {
    opened(static_cast<int>(made));
    const auto connected = connect(made, address, place_of(host, port), deadline);
    if (connected) return true;
    give_up = connected.error().late;
    if (first.message.empty()) first = connected.error();
    return false;
  };
  const socket_t socket = httplib::detail::create_socket(
      host, /*ip=*/"", port, AF_UNSPEC, /*socket_flags=*/0, /*tcp_nodelay=*/true,
      /*ipv6_v6only=*/false, set_options, try_one);
  if (socket != INVALID_SOCKET) {
    return std::unique_ptr<TcpWire>(new TcpWire(static_cast<int>(socket)));
  }
  if (first.message.empty()) first.message = lookup_problem(host);
  return std::unexpected(std::move(first));
}

TcpWire::~TcpWire() {
  httplib::detail::close_socket(static_cast<socket_t>(socket_));
}

std::expected<void, WireProblem> TcpWire::wait(For what, Deadline deadline) const {
  return wait_for(static_cast<socket_t>(socket_), what, deadline);
}

std::expected<std::size_t, WireProblem> TcpWire::read(char* to, std::size_t size,
                                                      Deadline deadline) {
  for (;;) {
    const auto got = httplib::detail::read_socket(static_cast<socket_t>(socket_), to, size, 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) return std::unexpected(WireProblem::kEnded);
    if (!try_again(last_problem())) return std::unexpected(WireProblem::kLost);
    if (auto ready = wait(For::kRead, deadline); !ready) return std::unexpected(ready.error());
  }
}

std::expected<void, WireProblem> TcpWire::write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const auto sent = httplib::detail::send_socket(static_cast<socket_t>(socket_), bytes.data(),
                                                   bytes.size(), CPPHTTPLIB_SEND_FLAGS);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (!try_again(last_problem())) return std::unexpected(WireProblem::kLost);
    if (auto ready = wait(For::kWrite, deadline); !ready) return ready;
  }
  return {};
}

bool TcpWire::ready() const {
  return wait(For::kRead, steady_clock::now()).has_value();
}

}  // namespace pgc::kube
