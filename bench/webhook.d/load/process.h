// What another process has cost so far.
#pragma once

#include <sys/types.h>

#include <expected>
#include <string>

namespace pgc::bench {

struct Cost {
  double cpu_seconds = 0;  // user and system, of all its threads, also those that have ended
  long peak_kib = 0;       // resident memory at its highest
};

std::expected<Cost, std::string> cost_of(pid_t process);

}  // namespace pgc::bench
