// Where this program's servers listen. For .cpp files: it brings cpp-httplib.
#pragma once

#include <httplib.h>

#include <optional>

namespace pgc {

// Binds to a port of all addresses, of IPv6 and IPv4 where the node has both, else of IPv4. 0: any
// free one. Returns the port; nothing where it can't be had, also where another program has it.
std::optional<int> bind_everywhere(httplib::Server& server, int port);

}  // namespace pgc
