#include "plugin/process.h"

#include <iostream>
#include <thread>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#if defined(_WIN32)
#define PGC_OS "windows"
#elif defined(__APPLE__)
#define PGC_OS "darwin"
#else
#define PGC_OS "linux"
#endif

#if defined(__aarch64__) || defined(_M_ARM64)
#define PGC_ARCH "arm64"
#else
#define PGC_ARCH "amd64"
#endif

namespace pgc::plugin {
namespace {

enum Descriptor { kStandardOutput = 1, kStandardError = 2 };

bool is_terminal(Descriptor descriptor) {
#ifdef _WIN32
  return _isatty(descriptor) != 0;
#else
  return isatty(descriptor) != 0;
#endif
}

}  // namespace

Process system_process() {
  return {
      .streams = {.in = std::cin,
                  .out = std::cout,
                  .err = std::cerr,
                  .out_is_terminal = is_terminal(kStandardOutput),
                  .err_is_terminal = is_terminal(kStandardError)},
      .clock = {.now = [] { return std::chrono::system_clock::now(); },
                .sleep = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }},
      .environment = kube::environment_variable,
      .connect = kube::make_http_client};
}

std::string_view platform() {
  return PGC_OS "/" PGC_ARCH;
}

bool colour_allowed(bool is_terminal, const kube::Environment& environment) {
  if (!is_terminal || environment("NO_COLOR")) return false;
#ifdef _WIN32
  return environment("WT_SESSION").has_value();
#else
  return environment("TERM").value_or("dumb") != "dumb";
#endif
}

}  // namespace pgc::plugin
