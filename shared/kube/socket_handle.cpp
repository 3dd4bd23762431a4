#include "shared/kube/socket_handle.h"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace pgc::kube {

#ifdef _WIN32

// There the deadlines of the calls have to do.
SocketHandle::~SocketHandle() = default;

void SocketHandle::watch(int) {}

void SocketHandle::cut() {
  const std::lock_guard lock(mutex_);
  cut_ = true;
}

#else

SocketHandle::~SocketHandle() {
  if (copy_ >= 0) ::close(copy_);
}

// A copy, since the number of the original may be another socket's by the time of cut().
void SocketHandle::watch(int socket) {
  const std::lock_guard lock(mutex_);
  if (copy_ >= 0) ::close(copy_);
  copy_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
}

void SocketHandle::cut() {
  const std::lock_guard lock(mutex_);
  cut_ = true;
  if (copy_ >= 0) ::shutdown(copy_, SHUT_RDWR);
}

#endif

bool SocketHandle::is_cut() {
  const std::lock_guard lock(mutex_);
  return cut_;
}

}  // namespace pgc::kube
