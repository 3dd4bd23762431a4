#include "operator/fence.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/api_server.h"

namespace pgc {
namespace {

using namespace std::chrono_literals;
using kube::ErrorKind;
using kube::Json;
using kube::Object;

const kube::ObjectRef kMap{kube::kConfigMaps, "shop", "a"};

Object map() {
  return Object(Json{{"metadata", {{"name", "a"}, {"namespace", "shop"}}}});
}

TEST_CASE("a fence is shut at first, open until its deadline, and shut again") {
  Fence fence;
  const BootClock::time_point now = BootClock::now();
  CHECK_FALSE(fence.open(now));
  fence.open_until(now + 10s);
  CHECK(fence.open(now));
  CHECK(fence.open(now + 9'999ms));
  CHECK_FALSE(fence.open(now + 10s));
  fence.close();
  CHECK_FALSE(fence.open(now));
}

TEST_CASE("behind a shut fence everything can be read and nothing written") {
  test::ApiServer server;
  server.put(kMap, map().json());
  Fence fence;
  FencedClient client(server, fence);
  CHECK(client.get(kMap));
  CHECK(client.list(kube::kConfigMaps, {})->items.size() == 1);
  const auto refused = [](const auto& result) {
    return !result && result.error().is(ErrorKind::kUnreachable) &&
           result.error().message.find("lease") != std::string::npos;
  };
  CHECK(refused(client.create(kube::kConfigMaps, "shop", map(), {})));
  CHECK(refused(client.replace(kMap, map(), {})));
  CHECK(refused(client.patch(kMap, kube::PatchType::kMerge, Json::object(), {})));
  CHECK(refused(client.remove(kMap, {})));
  CHECK(server.writes.empty());
  CHECK(server.has(kMap));
  CHECK(fence.refused() == 4);
}

TEST_CASE("behind an open fence everything goes through") {
  test::ApiServer server;
  Fence fence;
  fence.open_until(BootClock::now() + 1h);
  FencedClient client(server, fence);
  REQUIRE(client.create(kube::kConfigMaps, "shop", map(), {}));
  CHECK(client.patch(kMap, kube::PatchType::kMerge, Json{{"data", {{"x", "1"}}}}, {}));
  const auto live = client.get(kMap);
  CHECK(client.replace(kMap, *live, {}));
  CHECK(client.remove(kMap, {.uid = std::string(live->uid())}));
  CHECK_FALSE(server.has(kMap));
  CHECK(fence.refused() == 0);
}

// CLOCK_BOOTTIME never stands still and is never behind CLOCK_MONOTONIC.
TEST_CASE("the clock of the fence counts from the boot") {
  const auto monotonic = std::chrono::steady_clock::now().time_since_epoch();
  const auto first = BootClock::now();
  CHECK(first.time_since_epoch() >= monotonic);
  CHECK(BootClock::now() >= first);
}

}  // namespace
}  // namespace pgc
