// A second handle on a socket, so that another thread can end what is done with it, at whatever
// moment. Internal to connection.cpp.
#pragma once

#include <mutex>

namespace pgc::kube {

// Any thread.
class SocketHandle {
 public:
  SocketHandle() = default;
  ~SocketHandle();
  SocketHandle(const SocketHandle&) = delete;
  SocketHandle& operator=(const SocketHandle&) = delete;

  // Takes another socket instead of the one before.
  void watch(int socket);
  // Both sides see the end of the stream.
  void cut();
  bool is_cut();

 private:
  std::mutex mutex_;
  int copy_ = -1;     // guarded by mutex_
  bool cut_ = false;  // guarded by mutex_
};

}  // namespace pgc::kube
