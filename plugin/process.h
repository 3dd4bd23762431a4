// What a run of the program has from outside, as a value, so that a test can be its whole world.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "shared/kube/client.h"
#include "shared/kube/config.h"
#include "shared/kube/kubeconfig.h"

namespace pgc::plugin {

// Data goes to `out`; progress, warnings and errors go to `err`.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

using TimePoint = std::chrono::system_clock::time_point;

struct Clock {
  std::function<TimePoint()> now;
  std::function<void(std::chrono::milliseconds)> sleep;
};

using Connect = std::function<kube::Result<std::unique_ptr<kube::Client>>(
    const kube::Config&, const kube::ClientOptions&)>;

struct Process {
  Streams streams;
  Clock clock;
  kube::Environment environment;
  Connect connect;
};

// The real one. The only file with platform calls is process.cpp.
Process system_process();

// "linux/amd64", in Go's words, as everything around Kubernetes writes it.
std::string_view platform();

// Whether colour may be used on a stream: it is a terminal that knows colours, and NO_COLOR is
// unset.
bool colour_allowed(bool is_terminal, const kube::Environment& environment);

}  // namespace pgc::plugin
