// Runs `kubectl pgc` inside the test: arguments in, what stands on the screen out.
#pragma once

#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "plugin/cli.h"
#include "shared/kube/forwarding_client.h"
#include "tests/support/fake_client.h"

namespace pgc::test {

// A clock that only sleeping moves. It begins at 2026-08-21T10:00:00Z.
class SleepingClock {
 public:
  plugin::Clock clock() {
    return {.now = [this] { return now_; },
            .sleep = [this](std::chrono::milliseconds time) { now_ += time; }};
  }

 private:
  plugin::TimePoint now_ =
      std::chrono::sys_days(std::chrono::August / 21 / 2026) + std::chrono::hours(10);
};

struct Screen {
  int exit_code = 0;
  std::string out;
  std::string err;
};

struct PluginRun {
  FakeClient server;  // what the API server answers, and what it was asked
  std::string input;
  bool terminal = false;
  std::map<std::string, std::string> environment;

  kube::Config config;  // what the program connected with
  kube::ClientOptions options;

  Screen operator()(const std::vector<std::string>& arguments) {
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    SleepingClock clock;
    const plugin::Process process{
        .streams = {in, out, err, terminal, terminal},
        .clock = clock.clock(),
        .environment = [this](const std::string& name) { return variable(name); },
        .connect =
            [this](const kube::Config& to, const kube::ClientOptions& with) {
              config = to;
              options = with;
              // The program owns its client; the test keeps the recording.
              return kube::Result<std::unique_ptr<kube::Client>>(
                  std::make_unique<kube::ForwardingClient>(server));
            }};
    const int code = plugin::run(arguments, process);
    return {code, out.str(), err.str()};
  }

 private:
  std::optional<std::string> variable(const std::string& name) const {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  }
};

}  // namespace pgc::test
