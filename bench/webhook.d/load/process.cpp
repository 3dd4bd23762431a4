#include "bench/webhook.d/load/process.h"

#include <ctime>
#include <fstream>

namespace pgc::bench {
namespace {

// A line of /proc/PID/status, in KiB.
long status_line(pid_t process, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    long value = 0;
    if (word == name && status >> value) return value;
  }
  return 0;
}

}  // namespace

std::expected<Cost, std::string> cost_of(pid_t process) {
  // The same as utime and stime in /proc/PID/stat, in nanoseconds instead of ticks of 10 ms.
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    return std::unexpected("no process " + std::to_string(process));
  }
  return Cost{
      .cpu_seconds = static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9,
      .peak_kib = status_line(process, "VmHWM:")};
}

}  // namespace pgc::bench
