// What stands on the screen for an error: kubectl's words where kubectl has some, so that what
// people know and search for still helps them.
#pragma once

#include <string>

#include "shared/kube/error.h"

namespace pgc::plugin {

// What a request was about.
struct Subject {
  std::string name;    // of the PostgresCluster
  std::string server;  // its URL
};

// One or more lines, each ended. All of `kubectl pgc` exits with 1 where this is printed.
std::string error_text(const kube::Error& error, const Subject& subject);

}  // namespace pgc::plugin
