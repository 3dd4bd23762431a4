// A table of the API server on the screen, as `kubectl get` shows it.
#pragma once

#include <iosfwd>

#include "shared/kube/table.h"

namespace pgc::plugin {

struct ServerTableStyle {
  bool wide = false;             // columns of lower priority, too
  bool with_namespaces = false;  // in a column of its own, the first one
};

void print_server_table(const kube::Table& table, const ServerTableStyle& style, std::ostream& out);

}  // namespace pgc::plugin
