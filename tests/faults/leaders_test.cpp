// Two operators that both believe to lead, interleaved at every write: the end is the same, and
// nothing is there twice.
#include <catch2/catch_test_macros.hpp>
#include <iostream>

#include "tests/faults/difference.h"
#include "tests/support/world.h"

namespace pgc::faults {
namespace {

using test::World;
using Texts = std::vector<std::string>;

struct Case {
  const char* name;
  std::string spec;
  std::vector<std::function<void(World&)>> acts;
};

std::string play(const Case& c, int n, bool twice, World& world) {
  int writes = 0;
  const auto inspect = world.client.before;
  world.client.before = [&, inspect](const test::FaultyClient::Call& call) {
    if (call.writes() && (++writes == n || (twice && writes == n + 1))) world.turn_of_another();
    inspect(call);
  };
  world.settle();
  for (const auto& act : c.acts) {
    act(world);
    world.settle();
  }
  world.client.before = inspect;
  return world.picture_of_children();
}

TEST_CASE("two leaders at once come to the same end as one") {
  const Case cases[] = {
      {"create three", "{version: '16', replicas: 3}", {}},
      {"scale",
       "{version: '16', replicas: 3, storage: {persistentVolumeClaimRetentionPolicy: {whenScaled: "
       "Delete}}}",
       {[](World& world) { world.scale(5); }, [](World& world) { world.scale(2); }}},
      {"delete and create again",
       "{version: '16', replicas: 2}",
       {[](World& world) { world.remove_cluster(); },
        [](World& world) { world.create_cluster("{version: '16', replicas: 2}"); }}}};
  int schedules = 0;
  for (const Case& c : cases) {
    World reference(c.spec);
    const std::string end = play(c, -1, false, reference);
    for (int n = 1; n <= 60; ++n) {
      World world(c.spec);
      const std::string other_end = play(c, n, n % 2 == 0, world);
      CAPTURE(c.name, n, world.story());
      CHECK(world.harm() == Texts{});
      CHECK(difference(other_end, end) == "");
      ++schedules;
    }
  }
  std::cout << "two leaders: " << schedules << " interleavings\n";
}

}  // namespace
}  // namespace pgc::faults
