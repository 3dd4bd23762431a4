// What one cluster costs: memory at rest, a turn, a heartbeat. Hidden, for it asserts little:
// pgc_unit_tests "[.cost]". Figures are of the build that runs it; compare two of one preset.
#include <malloc.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "operator/triggers.h"
#include "shared/kube/cache.h"
#include "shared/kube/watch_stream.h"
#include "shared/observe/observe.h"
#include "tests/support/projected.h"
#include "tests/support/world.h"

namespace pgc {
namespace {

using kube::Json;
using kube::Object;
using Clock = std::chrono::steady_clock;

#include "tests/unit/operator/cost_pod_status.inc"

std::vector<std::pair<kube::ResourceType, Json>> settled() {
  test::World world("{replicas: 3, version: '16'}");
  world.settle();
  std::vector<std::pair<kube::ResourceType, Json>> all;
  for (const auto& ref : world.server.refs()) {
    if (ref.type == kube::kSecrets) continue;
    Json document = world.server.get(ref)->json();
    if (ref.type == kube::kPods) document["status"].merge_patch(Json::parse(kPodStatus));
    document["metadata"]["managedFields"] = Json::parse(kManagedFields);
    document["metadata"]["creationTimestamp"] = "2026-01-31T12:00:00Z";
    all.emplace_back(ref.type, std::move(document));
  }
  return all;
}

double micros(Clock::time_point since, int n) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since).count() / n;
}

class AllSecrets final : public kube::Reader {
 public:
  kube::Result<Object> get(const kube::ObjectRef&) override { return Object(); }
  kube::Result<kube::ObjectList> list(const kube::ResourceType&,
                                      const kube::ListOptions&) override {
    return kube::ObjectList{};
  }
};

TEST_CASE("what a cluster costs", "[.cost]") {
  const auto cluster = settled();
  kube::Cache cache({.group_label = std::string(reconcile::kClusterLabel), .digest = significance});
  constexpr int kClusters = 300;
  const auto before = mallinfo2().uordblks;
  for (int i = 0; i < kClusters; ++i) {
    for (auto [type, document] : cluster) {
      document["metadata"]["namespace"] = "shop-" + std::to_string(i);
      cache.put(type, Object(test::projected(document, observe::shape_of(type))));
    }
  }
  std::printf("objects per cluster %zu, bytes per cluster %zu\n", cluster.size(),
              (mallinfo2().uordblks - before) / kClusters);
  AllSecrets secrets;
  constexpr int kTurns = 300;
  auto begun = Clock::now();
  for (int i = 0; i < kTurns; ++i) {
    auto observed = observe::observe(cache, secrets, "shop-" + std::to_string(i), "my-db");
    REQUIRE(observed);
  }
  std::printf("observe %.1f us\n", micros(begun, kTurns));
  begun = Clock::now();
  for (int i = 0; i < kTurns; ++i) {
    auto observed = observe::observe(cache, secrets, "shop-" + std::to_string(i), "my-db");
    auto plan = test::plan_of(*observed);
    static_cast<void>(plan);
  }
  std::printf("observe and plan %.1f us\n", micros(begun, kTurns));
  for (const auto& type : {kube::kPods, kube::kConfigMaps}) {
    int woken = 0;
    kube::WatchStream stream(type, &observe::shape_of(type), [&](const kube::WatchEvent& event) {
      if (!concerned(type, cache.put(type, event.object)).empty()) ++woken;
    });
    for (auto [t, document] : cluster) {
      if (t != type) continue;
      if (type == kube::kConfigMaps && document["metadata"]["name"] != "my-db-ha-leader") continue;
      document["metadata"]["namespace"] = "shop-1";
      std::vector<std::string> lines;
      for (int i = 0; i < 500; ++i) {
        document["metadata"]["resourceVersion"] = std::to_string(10000 + i);
        auto& annotations = document["metadata"]["annotations"];
        if (type == kube::kPods) {
          Json status = Json::parse(annotations["status"].get<std::string>());
          status["xlog_location"] = i;
          annotations["status"] = status.dump();
        } else {
          annotations["renewTime"] = std::to_string(i);
          annotations["optime"] = std::to_string(i);
        }
        lines.push_back(Json{{"type", "MODIFIED"}, {"object", document}}.dump() + "\n");
      }
      stream.feed(lines[0]);
      woken = 0;
      begun = Clock::now();
      for (int i = 1; i < 500; ++i) stream.feed(lines[static_cast<std::size_t>(i)]);
      std::printf("heartbeat of %s: %.1f us, %zu bytes a line, woke %d\n",
                  std::string(type.plural).c_str(), micros(begun, 499), lines[0].size(), woken);
      CHECK(woken == 0);
      break;
    }
  }
}

}  // namespace
}  // namespace pgc
