#include "webhook/tls_stream.h"

#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace pgc::webhook {

bool TlsStream::wait_for(short events) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    if (left <= 0) break;
    pollfd wanted{socket_, events, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(std::min<long long>(left, INT_MAX)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  late_ = true;
  return false;
}

template <typename Step>
int TlsStream::complete(Step step) {
  while (true) {
    ERR_clear_error();
    const int result = step();
    if (result > 0) return result;
    const int why = SSL_get_error(session_, result);
    const bool waiting = (why == SSL_ERROR_WANT_READ && wait_for(POLLIN)) ||
                         (why == SSL_ERROR_WANT_WRITE && wait_for(POLLOUT));
    if (!waiting) return -1;
  }
}

bool TlsStream::shake_hands() {
  return complete([this] { return SSL_accept(session_); }) > 0;
}

bool TlsStream::wait_for_input() {
  if (begin_ < end_) return true;
  if (input_ended_ || (SSL_has_pending(session_) == 0 && !wait_for(POLLIN))) return false;
  const ssize_t size = receive(buffer_.data(), buffer_.size());
  begin_ = 0;
  end_ = static_cast<std::size_t>(std::max<ssize_t>(size, 0));
  return size > 0;
}

ssize_t TlsStream::receive(char* data, std::size_t size) {
  const int most = static_cast<int>(std::min<std::size_t>(size, INT_MAX));
  const int got = complete([&] { return SSL_read(session_, data, most); });
  if (got <= 0) input_ended_ = true;
  return got;
}

ssize_t TlsStream::read(char* data, std::size_t size) {
  if (input_ended_) return -1;
  if (begin_ == end_) {
    if (size >= buffer_.size()) return receive(data, size);
    if (!wait_for_input()) return -1;
  }
  const std::size_t part = std::min(size, end_ - begin_);
  std::memcpy(data, buffer_.data() + begin_, part);
  begin_ += part;
  return static_cast<ssize_t>(part);
}

ssize_t TlsStream::write(const char* data, std::size_t size) {
  const int most = static_cast<int>(std::min<std::size_t>(size, INT_MAX));
  return complete([&] { return SSL_write(session_, data, most); });
}

void TlsStream::hang_up(bool discard_input) {
  ERR_clear_error();
  SSL_shutdown(session_);
  ::shutdown(socket_, SHUT_WR);
  while (discard_input && wait_for(POLLIN)) {
    const ssize_t size = recv(socket_, buffer_.data(), buffer_.size(), 0);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) break;
  }
}

}  // namespace pgc::webhook
