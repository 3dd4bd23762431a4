#include "shared/health/listen.h"

#include <sys/socket.h>

namespace pgc {
namespace {

// cpp-httplib's own choice is SO_REUSEPORT, with which a second program on the same port starts
// without an error and takes half of the connections.
void reuse_address_only(int socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

}  // namespace

std::optional<int> bind_everywhere(httplib::Server& server, int port) {
  server.set_socket_options(reuse_address_only);
  for (const char* address : {"::", "0.0.0.0"}) {
    const bool bound = port != 0 && server.bind_to_port(address, port);
    const int any = port == 0 ? server.bind_to_any_port(address) : -1;
    if (bound) return port;
    if (any > 0) return any;
  }
  return std::nullopt;
}

}  // namespace pgc
