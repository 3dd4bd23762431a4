// For the listening sockets of this program. For its .cpp files alone.
#pragma once

#include <sys/socket.h>

namespace pgc {

// cpp-httplib's own choice is SO_REUSEPORT, with which a second program on the same port starts
// without an error and takes half of the connections.
inline void reuse_address_only(int socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

}  // namespace pgc
