// The operator's turns in a world that goes its own way: members start, stop and fail over, people
// scale and delete. Random orders of these, and faults among them, are in tests/faults.
#include <catch2/catch_test_macros.hpp>

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

}  // namespace
}  // namespace pgc
