#include "shared/kube/wire.h"

#include <httplib.h>

#include <algorithm>
#include <limits>

namespace pgc::kube {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

bool try_again() {
#ifdef _WIN32
  return WSAGetLastError() == WSAEWOULDBLOCK;
#else
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
#endif
}

// A peer that vanished without a word is noticed within a minute, also on an idle watch.
void set_options(socket_t socket) {
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

// At least a little, at most what fits.
milliseconds left_until(Deadline deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  return std::clamp(left, milliseconds(0), milliseconds(std::numeric_limits<int>::max()));
}

}  // namespace

std::expected<std::unique_ptr<TcpWire>, WireProblem> TcpWire::open(
    const std::string& host, int port, Deadline deadline,
    const std::function<void(int socket)>& opened) {
  const auto left = std::max(left_until(deadline), milliseconds(1));
  const auto whole = std::chrono::floor<std::chrono::seconds>(left);
  const auto seconds = static_cast<time_t>(whole.count());
  const auto rest = static_cast<time_t>(microseconds(left - whole).count());
  auto problem = httplib::Error::Success;
  const socket_t socket = httplib::detail::create_client_socket(
      host, "", port, AF_UNSPEC, /*tcp_nodelay=*/true, /*ipv6_v6only=*/false,
      [&](socket_t made) {
        set_options(made);
        opened(static_cast<int>(made));
      },
      seconds, rest, seconds, rest, seconds, rest, "", problem);
  if (socket == INVALID_SOCKET) {
    const bool late = problem == httplib::Error::ConnectionTimeout;
    return std::unexpected(late ? WireProblem::kLate : WireProblem::kLost);
  }
  httplib::detail::set_nonblocking(socket, true);
  return std::unique_ptr<TcpWire>(new TcpWire(static_cast<int>(socket)));
}

TcpWire::~TcpWire() {
  httplib::detail::close_socket(static_cast<socket_t>(socket_));
}

std::expected<void, WireProblem> TcpWire::wait(For what, Deadline deadline) const {
  pollfd waits{};
  waits.fd = static_cast<socket_t>(socket_);
  waits.events = what == For::kRead ? POLLIN : POLLOUT;
  for (;;) {
    const int timeout = static_cast<int>(left_until(deadline).count());
    const int ready = httplib::detail::poll_wrapper(&waits, 1, timeout);
    if (ready > 0) return {};
    if (ready < 0 && !try_again()) return std::unexpected(WireProblem::kLost);
    if (steady_clock::now() >= deadline) return std::unexpected(WireProblem::kLate);
  }
}

std::expected<std::size_t, WireProblem> TcpWire::read(char* to, std::size_t size,
                                                      Deadline deadline) {
  for (;;) {
    const auto got = httplib::detail::read_socket(static_cast<socket_t>(socket_), to, size, 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) return std::unexpected(WireProblem::kEnded);
    if (!try_again()) return std::unexpected(WireProblem::kLost);
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
    if (!try_again()) return std::unexpected(WireProblem::kLost);
    if (auto ready = wait(For::kWrite, deadline); !ready) return ready;
  }
  return {};
}

bool TcpWire::stale() {
  return wait(For::kRead, steady_clock::now()).has_value();
}

}  // namespace pgc::kube
