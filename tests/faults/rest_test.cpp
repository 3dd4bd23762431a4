// A cluster at rest stays untouched, whoever competes with us is not overwritten, and what was
// spoilt heals.
#include <catch2/catch_test_macros.hpp>
#include <iostream>
#include <random>

#include "tests/faults/numbers.h"
#include "tests/support/world.h"

namespace pgc::faults {
namespace {

using kube::Json;
using kube::ObjectRef;
using test::Effect;
using test::World;
using Texts = std::vector<std::string>;

const std::string kThree = "{version: '16', replicas: 3}";
const ObjectRef kCluster{kube::kPostgresClusters, "shop", "my-db"};

TEST_CASE("nothing is written in a hundred resyncs of a cluster at rest") {
  for (const std::string spec :
       {"{version: '16', replicas: 1}", "{version: '16', replicas: 3}",
        "{version: '17', replicas: 5, tls: {mode: Prefer}, resources: {requests: {cpu: '0.5', "
        "memory: 1024Mi}}, postgresql: {parameters: {work_mem: 8MB}}}"}) {
    World world(spec);
    world.settle();
    CAPTURE(spec, world.story());
    CHECK(world.phase() == "Ready");
    const auto writes = world.server.writes.size();
    const auto version = world.server.version();
    for (int i = 0; i < 100; ++i) {
      world.clock += std::chrono::hours(10);
      if (i % 10 == 0) world.restart();
      world.turn();
    }
    CHECK(world.server.writes.size() == writes);
    CHECK(world.server.version() == version);
  }
}

// Somebody changes an object just before we do, two times out of three, with labels of their own.
TEST_CASE("in a storm of conflicts nothing of others is lost, and afterwards there is rest") {
  World world(kThree);
  int bumps = 0;
  std::mt19937 dice(1);  // the same storm each time
  const auto inspect = world.client.before;
  world.client.before = [&](const test::FaultyClient::Call& call) {
    const bool theirs = call.ref.type == kube::kEvents || !world.server.has(call.ref);
    if (call.writes() && !theirs && dice() % 3 != 0) {
      world.server.change(call.ref, {{"metadata",
                                      {{"labels", {{"example.com/mine", std::to_string(++bumps)}}},
                                       {"annotations", {{"example.com/also-mine", "x"}}}}}});
    }
    inspect(call);
  };
  world.client.plan({{.effect = Effect::kConflict, .verb = "write", .first = 5, .times = 40}});
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == 9) {
      world.change_cluster(
          {{"spec", {{"resources", {{"requests", {{"cpu", std::to_string(i)}}}}}}}});
      world.deface(3 * i + 1);
    }
    world.turn();
    world.move(i);
  }
  world.client.before = inspect;
  world.client.plan({});
  world.settle();
  CAPTURE(world.story());
  CHECK(bumps > 10);
  CHECK(world.harm() == Texts{});
  CHECK(world.phase() == "Ready");
  int kept = 0;
  for (const ObjectRef& ref : world.server.refs()) {
    const auto object = world.server.get(ref);
    if (object->label("example.com/mine").empty()) continue;
    ++kept;
    CHECK(object->annotation("example.com/also-mine") == "x");
  }
  CHECK(kept > 3);
  std::cout << "storm: " << bumps << " competing writes, " << kept
            << " objects keep their labels\n";
}

TEST_CASE("a child that is being deleted and held is not made again before it is gone") {
  World reference(kThree);
  reference.settle();
  const auto picture = reference.picture();
  for (int child = 0; child < 14; ++child) {
    World world(kThree);
    world.settle();
    const auto before = world.server.refs();
    world.hold(child);
    CAPTURE(world.story());
    for (int i = 0; i < 30; ++i) {
      world.turn();
      world.move(i);
      for (const std::string& write : world.server.writes) {
        CHECK_FALSE(write.starts_with("replace"));
      }
    }
    for (const ObjectRef& ref : before) {
      if (ref.type != kube::kPods) CHECK(world.server.has(ref));
    }
    world.release();
    world.settle();
    CHECK(world.harm() == Texts{});
    CHECK(world.phase() == "Ready");
    CHECK(world.turn() == Texts{});
  }
}

// Each is put into force, left for a while, and taken back.
TEST_CASE("a mistake that is taken back leaves nothing behind") {
  const Json mistakes[] = {
      {{"version", "15"}},
      {{"version", "nonsense"}},
      {{"replicas", 0}},
      {{"replicas", -3}},
      {{"replicas", 99}},
      {{"replicas", "three"}},
      {{"resources", {{"requests", {{"cpu", "lots"}}}}}},
      {{"resources", {{"requests", {{"memory", "-1"}}}}}},
      {{"resources", {{"requests", {{"cpu", "2"}}}, {"limits", {{"cpu", "1"}}}}}},
      {{"resources", {{"requests", {{"cpu", "100000"}}}}}},
      {{"resources", 7}},
      {{"storage", {{"size", "minus"}}}},
      {{"storage", {{"size", "1Mi"}}}},
      {{"storage", {{"storageClass", "nowhere"}}}},
      {{"storage", nullptr}},
      {{"postgresql", {{"parameters", {{"work_mem", "many"}}}}}},
      {{"postgresql", {{"parameters", {{"listen_addresses", "*"}}}}}},
      {{"postgresql", {{"parameters", {{"shared_buffers", "9999GB"}}}}}},
      {{"postgresql", "text"}},
      {{"tls", {{"mode", "Sometimes"}}}},
  };
  World reference(kThree);
  reference.settle();
  const Json good = reference.server.get(kCluster)->json()["spec"];
  int healed = 0;
  for (const Json& mistake : mistakes) {
    World world(kThree);
    world.settle();
    world.change_cluster({{"spec", mistake}});
    for (int i = 0; i < 10; ++i) {
      world.turn();
      world.move(i);
    }
    Json document = world.server.get(kCluster)->json();
    document["spec"] = good;
    world.server.put(kCluster, document);
    world.settle();
    CAPTURE(mistake.dump(), world.story());
    CHECK(world.harm() == Texts{});
    CHECK(world.phase() == "Ready");
    CHECK(world.members() == 3);
    const bool same = world.picture_of_children() == reference.picture_of_children();
    CHECK(same);
    healed += same ? 1 : 0;
  }
  std::cout << "mistakes: " << healed << " of " << std::size(mistakes) << " healed\n";
}

// A StatefulSet leaves a pod as it was made, also one for which there is no room.
TEST_CASE("members that no node had room for come up once they ask for less") {
  for (const std::string from : {"create", "scale", "kill"}) {
    World world(from == "create" ? "{version: '16', replicas: 3, resources: {requests: {cpu: 100}}}"
                                 : kThree);
    world.settle();
    if (from == "scale") {
      world.change_cluster(
          {{"spec", {{"replicas", 4}, {"resources", {{"requests", {{"cpu", "100"}}}}}}}});
    }
    if (from == "kill") {
      world.change_cluster({{"spec", {{"resources", {{"requests", {{"cpu", "100"}}}}}}}});
      world.turn();
      world.kill(2);
    }
    world.settle();
    CAPTURE(from, world.story());
    CHECK(world.phase() != "Ready");
    world.change_cluster({{"spec", {{"resources", {{"requests", {{"cpu", "1"}}}}}}}});
    world.settle();
    CHECK(world.phase() == "Ready");
    CHECK(world.harm() == Texts{});
    CHECK(world.turn() == Texts{});
  }
}

}  // namespace
}  // namespace pgc::faults
