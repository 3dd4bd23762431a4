// The operator dies before and after every write of every flow. Whatever is left half done, the
// next one makes the same of it as if nobody had died, and creates and deletes nothing more.
#include <catch2/catch_test_macros.hpp>
#include <iostream>

#include "tests/faults/difference.h"
#include "tests/faults/flow.h"

namespace pgc::faults {
namespace {

using test::Effect;

int writes_of(const Flow& flow) {
  const auto scene = flow.begin();
  scene->play();
  CAPTURE(flow.name, scene->story());
  REQUIRE(scene->harm() == std::vector<std::string>{});
  return scene->client().writes();
}

TEST_CASE("an operator may die before or after any write") {
  int points = 0;
  long checks = 0;
  for (const Flow& flow : flows()) {
    const auto reference = flow.begin();
    reference->play();
    const int writes = writes_of(flow);
    std::cout << "crash: " << flow.name << ": " << writes << " writes, " << 2 * writes
              << " points\n";
    REQUIRE(writes > 0);
    for (const Effect effect : {Effect::kDieBefore, Effect::kDieAfter}) {
      for (int n = 1; n <= writes; ++n) {
        const std::vector<test::Fault> plan = {{.effect = effect, .first = n}};
        const auto scene = flow.begin();
        scene->client().plan(plan);
        scene->play();
        CAPTURE(flow.name, test::to_string(plan), scene->story());
        CHECK(scene->harm() == std::vector<std::string>{});
        CHECK(difference(scene->picture(), reference->picture()) == "");
        CHECK(scene->made() == reference->made());
        ++points;
        checks += scene->checks();
      }
    }
  }
  std::cout << "crash: " << points << " points in " << flows().size() << " flows, " << checks
            << " checks of invariants\n";
  CHECK(points >= 200);
}

TEST_CASE("any write may fail, and any answer may be lost") {
  int plans = 0;
  for (const Flow& flow : flows()) {
    const auto reference = flow.begin();
    reference->play();
    const int writes = writes_of(flow);
    for (const Effect effect : {Effect::kDrop, Effect::kLoseReply, Effect::kConflict,
                                Effect::kTooManyRequests, Effect::kUnavailable}) {
      for (int n = 1; n <= writes; n += 1 + static_cast<int>(effect) % 3) {
        const std::vector<test::Fault> plan = {{.effect = effect, .first = n, .times = 1 + n % 3}};
        const auto scene = flow.begin();
        scene->client().plan(plan);
        scene->play();
        CAPTURE(flow.name, test::to_string(plan), scene->story());
        CHECK(scene->harm() == std::vector<std::string>{});
        CHECK(difference(scene->picture(), reference->picture()) == "");
        CHECK(scene->made() == reference->made());
        ++plans;
      }
    }
  }
  std::cout << "failed writes and lost answers: " << plans << " plans\n";
}

}  // namespace
}  // namespace pgc::faults
