#include "shared/metrics/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace pgc::metrics {

namespace {

// The fields of /proc/self/stat behind the program's name, which may hold anything; the first of
// them is number 3 of proc_pid_stat(5).
std::istringstream stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const auto name_ends = text.rfind(')');
  return std::istringstream(name_ends == std::string::npos ? "" : text.substr(name_ends + 1));
}

double field(int number) {
  auto fields = stat_fields();
  std::string value;
  for (int i = 3; i <= number; ++i) fields >> value;
  return value.empty() ? 0 : std::stod(value);
}

double boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string key; file >> key;) {
    double seconds = 0;
    if (key == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

double start_time() {
  constexpr int kStartTime = 22;  // clock ticks since the boot
  return boot_time() + field(kStartTime) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double open_files() {
  std::error_code problem;
  double count = 0;
  for (auto file = std::filesystem::directory_iterator("/proc/self/fd", problem);
       !problem && file != std::filesystem::directory_iterator(); file.increment(problem)) {
    ++count;
  }
  return count > 0 ? count - 1 : 0;  // one of them is the listing itself
}

double most_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

void add_process_metrics(Registry& registry) {
  registry.gauge("process_start_time_seconds", "Start time since the Unix epoch.")
      .set(start_time());
  registry.gauge("process_max_fds", "Most file descriptors that may be open.").set(most_files());
  auto& cpu = registry.outside_counter("process_cpu_seconds_total", "User and system CPU time.");
  auto& resident = registry.gauge("process_resident_memory_bytes", "Resident memory.");
  auto& address_space =
      registry.gauge("process_virtual_memory_bytes", "Size of the address space.");
  auto& files = registry.gauge("process_open_fds", "Open file descriptors.");
  registry.before_text([&] {
    constexpr int kVirtualBytes = 23;
    constexpr int kResidentPages = 24;
    cpu.set(cpu_seconds());
    address_space.set(field(kVirtualBytes));
    resident.set(field(kResidentPages) * static_cast<double>(sysconf(_SC_PAGESIZE)));
    files.set(open_files());
  });
}

}  // namespace pgc::metrics
