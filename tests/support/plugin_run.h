// Runs `kubectl pgc` inside the test: arguments in, what stands on the screen out.
#pragma once

#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "plugin/cli.h"
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
              return kube::Result<std::unique_ptr<kube::Client>>(
                  std::make_unique<Forwarder>(server));
            }};
    const int code = plugin::run(arguments, process);
    return {code, out.str(), err.str()};
  }

 private:
  // The program owns its client; the test keeps the recording.
  class Forwarder : public kube::Client {
   public:
    explicit Forwarder(FakeClient& to) : to_(to) {}
    kube::Result<kube::Object> get(const kube::ObjectRef& ref) override { return to_.get(ref); }
    kube::Result<kube::ObjectList> list(const kube::ResourceType& type,
                                        const kube::ListOptions& options) override {
      return to_.list(type, options);
    }
    kube::Result<kube::Object> patch(const kube::ObjectRef& ref, kube::PatchType type,
                                     const kube::Json& body,
                                     const kube::WriteOptions& options) override {
      return to_.patch(ref, type, body, options);
    }
    kube::Result<kube::Object> create(const kube::ResourceType& type, const std::string& ns,
                                      const kube::Object& object,
                                      const kube::WriteOptions& options) override {
      return to_.create(type, ns, object, options);
    }
    kube::Result<kube::Object> replace(const kube::ObjectRef& ref, const kube::Object& object,
                                       const kube::WriteOptions& options) override {
      return to_.replace(ref, object, options);
    }
    kube::Result<void> remove(const kube::ObjectRef& ref,
                              const kube::Preconditions& preconditions) override {
      return to_.remove(ref, preconditions);
    }
    kube::Result<void> watch(const kube::ResourceType& type, const kube::ListOptions& options,
                             const std::string& version,
                             const std::function<void(const kube::WatchEvent&)>& deliver,
                             std::stop_token stop) override {
      return to_.watch(type, options, version, deliver, stop);
    }

   private:
    FakeClient& to_;
  };

  std::optional<std::string> variable(const std::string& name) const {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  }
};

}  // namespace pgc::test
