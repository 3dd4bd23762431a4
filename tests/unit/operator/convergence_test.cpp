// The plan, carried out by the real executor, in a world that goes its own way: members start,
// stop, fail over, people scale and delete, writes fail between any two actions. Whatever the
// order, the cluster must never come to harm on the way, and must come to rest as wanted.
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <sstream>

#include "tests/support/slowness.h"
#include "tests/support/world.h"

namespace pgc {
namespace {

using kube::Json;
using test::World;
using Texts = std::vector<std::string>;

const char* const kThree = "{replicas: 3, version: '16'}";

TEST_CASE("a cluster comes up, and then nothing is written any more") {
  World world(kThree);
  world.settle();
  CHECK(world.drawing() == "1 primary, 2 replica, 3 replica");
  CHECK(world.phase() == "Ready");
  const auto writes = world.server.writes.size();
  CHECK(world.turn() == Texts{});
  CHECK(world.server.writes.size() == writes);
}

TEST_CASE("scaling out and in, also past the leader") {
  World world(kThree);
  world.settle();
  world.scale(5);
  world.settle();
  CHECK(world.drawing() == "1 primary, 2 replica, 3 replica, 4 replica, 5 replica");
  world.kill(1);
  world.fail_over();
  world.settle();
  CHECK(world.drawing() == "1 replica, 2 primary, 3 replica, 4 replica, 5 replica");
  world.scale(1);
  world.settle();
  CHECK(world.drawing() == "2 primary");
  world.scale(2);
  world.settle();
  CHECK(world.drawing() == "1 replica, 2 primary");
}

TEST_CASE("a deleted cluster leaves its volumes and Secrets, and nothing else") {
  World world(kThree);
  world.settle();
  world.remove_cluster();
  world.settle();
  CHECK(world.left_over() ==
        Texts{"persistentvolumeclaims my-db-1-pgdata", "persistentvolumeclaims my-db-2-pgdata",
              "persistentvolumeclaims my-db-3-pgdata", "secrets my-db-app",
              "secrets my-db-replication", "secrets my-db-rewind", "secrets my-db-superuser"});
}

TEST_CASE("a deleted cluster whose policy is Delete leaves nothing") {
  World world(
      "{replicas: 2, version: '16', "
      "storage: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}");
  world.settle();
  world.remove_cluster();
  world.settle();
  CHECK(world.left_over() == Texts{});
}

TEST_CASE("a cluster that is made again under its name takes up its volumes and passwords") {
  World world(kThree);
  world.settle();
  const Json before = world.secret("my-db-superuser");
  world.remove_cluster();
  world.settle();
  world.create_cluster(kThree);
  world.settle();
  CHECK(world.phase() == "Ready");
  CHECK(world.secret("my-db-superuser") == before);
}

// One schedule: a seed, and what happens by it.
class Walk {
 public:
  explicit Walk(unsigned seed) : random_(seed), world_(spec()) {}

  void run() {
    const int steps = 10 + pick(30);
    for (int i = 0; i < steps; ++i) step();
    world_.server.fault = nullptr;
    if (pick(4) == 0) world_.remove_cluster();
    CAPTURE(world_.story());
    world_.settle();
    CHECK(world_.harm() == Texts{});
    if (!world_.exists()) {
      for (const std::string& left : world_.left_over()) {
        CHECK((left.starts_with("persistentvolumeclaims") || left.starts_with("secrets")));
      }
      return;
    }
    CHECK(world_.phase() == "Ready");
    CHECK(world_.members() == static_cast<std::size_t>(world_.wanted()));
    CHECK(world_.turn() == Texts{});
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned long>(below)); }

  std::string spec() {
    const char* const policy = pick(2) == 0 ? "Delete" : "Retain";
    return "{version: '16', replicas: " + std::to_string(1 + pick(4)) +
           ", storage: {persistentVolumeClaimRetentionPolicy: {whenScaled: " + policy + "}}}";
  }

  void step() {
    switch (pick(12)) {
      case 0:
        world_.scale(1 + pick(6));
        break;
      case 1:
        world_.kill(1 + pick(6));
        break;
      case 2:
        world_.sicken(1 + pick(6));
        break;
      case 3:
        world_.delete_child(pick(1000));
        break;
      case 4:
        world_.fail_over();
        break;
      case 5:
      case 6:
        crash_soon();
        break;
      case 7:
      case 8:
        world_.turn();
        break;
      default:
        world_.move(pick(1000));
        break;
    }
  }

  // The next turn ends after some of its writes, as if the operator had been killed there.
  void crash_soon() {
    world_.server.fault = [left =
                               pick(8)](const std::string&) mutable -> std::optional<kube::Error> {
      if (left-- > 0) return std::nullopt;
      return kube::Error{.kind = kube::ErrorKind::kUnreachable};
    };
    world_.turn();
    world_.server.fault = nullptr;
  }

  std::minstd_rand random_;
  World world_;
};

// Some twenty seconds; a sanitizer takes ten times as long for each.
constexpr unsigned kSchedules = test::kSanitized ? 200 : 2000;

TEST_CASE("two thousand schedules of faults, scaling and crashes all end well") {
  for (unsigned seed = 1; seed <= kSchedules; ++seed) {
    CAPTURE(seed);
    Walk(seed).run();
  }
}

}  // namespace
}  // namespace pgc
