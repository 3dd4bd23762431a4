// The manager with its real threads on the in-memory API server: watches end, are told old news
// and the same news twice, and the history is compacted, while the world around it lives on.
#include "operator/manager.h"

#include <catch2/catch_test_macros.hpp>
#include <iostream>
#include <random>
#include <thread>

#include "tests/support/world.h"

namespace pgc::faults {
namespace {

using namespace std::chrono_literals;
using test::World;

// Forwards everything, and spoils watches.
class Spoiler final : public kube::Client {
 public:
  explicit Spoiler(test::ApiServer& server) : server_(server) {}

  kube::Result<kube::Object> get(const kube::ObjectRef& ref) override { return server_.get(ref); }
  kube::Result<kube::ObjectList> list(const kube::ResourceType& type,
                                      const kube::ListOptions& options) override {
    return server_.list(type, options);
  }
  kube::Result<kube::Object> create(const kube::ResourceType& type, const std::string& ns,
                                    const kube::Object& object,
                                    const kube::WriteOptions& options) override {
    return server_.create(type, ns, object, options);
  }
  kube::Result<kube::Object> replace(const kube::ObjectRef& ref, const kube::Object& object,
                                     const kube::WriteOptions& options) override {
    return server_.replace(ref, object, options);
  }
  kube::Result<kube::Object> patch(const kube::ObjectRef& ref, kube::PatchType type,
                                   const kube::Json& body,
                                   const kube::WriteOptions& options) override {
    return server_.patch(ref, type, body, options);
  }
  kube::Result<void> remove(const kube::ObjectRef& ref,
                            const kube::Preconditions& preconditions) override {
    return server_.remove(ref, preconditions);
  }

  // Every event in three is told twice, and a watch may break off in the middle.
  kube::Result<void> watch(const kube::ResourceType& type, const kube::ListOptions& options,
                           const std::string& version,
                           const std::function<void(const kube::WatchEvent&)>& deliver,
                           std::stop_token stop) override {
    std::stop_source broken;
    const std::stop_callback pass_on(stop, [&] { broken.request_stop(); });
    int told = 0;
    const auto result = server_.watch(
        type, options, version,
        [&](const kube::WatchEvent& event) {
          if (broken.stop_requested() && !stop.stop_requested()) return;
          deliver(event);
          if (++told % 3 == 0 && event.type != kube::WatchEventType::kBookmark) deliver(event);
          if (spoiling && told % 7 == 0) broken.request_stop();
        },
        broken.get_token());
    if (stop.stop_requested() || !broken.stop_requested()) return result;
    ++breaks;
    return std::unexpected(kube::Error{.kind = kube::ErrorKind::kUnreachable, .message = "EOF"});
  }

  std::atomic<bool> spoiling{true};
  std::atomic<int> breaks{0};

 private:
  test::ApiServer& server_;
};

template <typename Condition>
bool within(std::chrono::seconds time, const Condition& holds) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

bool ready(World& world, std::size_t members) {
  world.move();
  const auto cluster = world.server.get({kube::kPostgresClusters, "shop", "my-db"});
  return cluster && kube::string_at(cluster->json(), {"status", "phase"}) == "Ready" &&
         kube::int_at(cluster->json(), {"status", "readyReplicas"}) ==
             static_cast<std::int64_t>(members) &&
         world.members() == members;
}

TEST_CASE("the manager keeps up with an API server whose watches break", "[threads]") {
  World world("{version: '16', replicas: 3}");
  Spoiler spoiler(world.server);
  const Log log([](const std::string&) {});
  metrics::Registry registry;
  Manager manager(spoiler,
                  {.settings = test::settings(), .namespaces = {"shop"}, .instance = "pod"}, log,
                  registry);
  std::jthread running([&](std::stop_token stop) { manager.run(stop); });
  REQUIRE(within(60s, [&] { return ready(world, 3); }));
  for (const int replicas : {5, 2, 4}) {
    world.server.compact();
    world.server.send_bookmarks();
    world.scale(replicas);
    CHECK(within(60s, [&] { return ready(world, static_cast<std::size_t>(replicas)); }));
    world.server.end_watches();
  }
  spoiler.spoiling = false;
  world.remove_cluster();
  CHECK(within(60s, [&] {
    world.move();
    return !world.exists();
  }));
  running.request_stop();
  running.join();
  CHECK(world.server.open_watches() == 0);
  CHECK(spoiler.breaks > 0);
  std::cout << "manager: " << spoiler.breaks << " watches broken off\n";
}

}  // namespace
}  // namespace pgc::faults
