// That what is kept of an object is enough: wherever the world is on its way, the plan is the same
// from whole objects and from what is kept of them.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/observe/observe.h"
#include "tests/support/projected.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace pgc {
namespace {

using kube::Object;

// Another reader's objects, with what is kept of them alone.
class Projecting final : public kube::Reader {
 public:
  explicit Projecting(kube::Reader& reader) : reader_(reader) {}

  kube::Result<Object> get(const kube::ObjectRef& ref) override {
    auto object = reader_.get(ref);
    if (object) *object = kept(ref.type, *object);
    return object;
  }

  kube::Result<kube::ObjectList> list(const kube::ResourceType& type,
                                      const kube::ListOptions& options) override {
    auto list = reader_.list(type, options);
    if (!list) return list;
    for (Object& object : list->items) object = kept(type, object);
    return list;
  }

 private:
  static Object kept(const kube::ResourceType& type, const Object& object) {
    return Object(test::projected(object.json(), observe::shape_of(type)));
  }

  kube::Reader& reader_;
};

// All that a plan says, in words that differ where the plans do.
std::string text(const reconcile::Plan& plan) {
  std::string text;
  for (const reconcile::Action& action : plan.actions) {
    text += reconcile::describe(action);
    if (const auto* apply = std::get_if<reconcile::Apply>(&action)) {
      text += " (" + apply->why + ") " + apply->object.json().dump();
    }
    if (const auto* patch = std::get_if<reconcile::Patch>(&action)) {
      text += " " + patch->operations.json().dump();
    }
    if (const auto* gone = std::get_if<reconcile::Delete>(&action)) text += " " + gone->uid;
    text += "\n";
  }
  if (plan.status) text += plan.status->json().dump() + "\n";
  for (const reconcile::Event& event : plan.events) text += event.reason + ": " + event.note + "\n";
  return text + (plan.look_again ? std::to_string(plan.look_again->count()) : "");
}

std::string plan_from(kube::Reader& objects, kube::Reader& secrets) {
  const auto observed = observe::observe(objects, secrets, "shop", "my-db");
  return observed ? text(test::plan_of(*observed)) : observed.error().message;
}

void compare(test::World& world) {
  Projecting kept(world.server);
  const std::string whole = plan_from(world.server, world.server);
  const std::string projected = plan_from(kept, world.server);
  INFO(world.story());
  REQUIRE(projected == whole);
}

// Every spec that makes the plan apply another field.
constexpr const char* kSpecs[] = {
    "{replicas: 3, version: '16'}",
    "{version: '17', tls: {mode: Prefer}}",
    "{replicas: 2, version: '16', storage: {size: 2Gi, storageClass: fast, "
    "persistentVolumeClaimRetentionPolicy: {whenScaled: Delete, whenDeleted: Delete}}, "
    "resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 2Gi}}, "
    "postgresql: {parameters: {max_connections: 200}}}",
};

TEST_CASE("the plan from what is kept of the objects is the plan from the whole objects") {
  for (const char* spec : kSpecs) {
    CAPTURE(spec);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      test::Random random(seed);
      test::World world(spec);
      for (int step = 0; step < 60; ++step) {
        if (random.below(12) == 0) world.scale(1 + static_cast<int>(random.below(4)));
        if (random.below(20) == 0) world.kill(1 + static_cast<int>(random.below(3)));
        if (random.below(20) == 0) world.sicken(1 + static_cast<int>(random.below(3)));
        if (random.below(20) == 0) world.fail_over();
        if (random.below(20) == 0) world.delete_child(static_cast<int>(random.below(20)));
        if (step == 50) world.remove_cluster();
        world.move(static_cast<int>(random.below(8)));
        compare(world);
        if (random.below(3) != 0) world.turn();
        compare(world);
      }
    }
  }
}

// The annotation of what a member publishes is all that Patroni's heartbeats need move.
TEST_CASE("what nobody reads is not kept") {
  const kube::Json pod = {
      {"metadata",
       {{"name", "p"}, {"managedFields", 1}, {"annotations", {{"status", "{}"}, {"x", "y"}}}}},
      {"spec", {{"nodeName", "n"}, {"containers", {1, 2}}}},
      {"status",
       {{"podIP", "10.0.0.1"}, {"conditions", {{{"type", "Ready"}, {"lastProbeTime", 1}}}}}}};
  CHECK(test::projected(pod, observe::shape_of(kube::kPods)) ==
        kube::Json{{"metadata", {{"name", "p"}, {"annotations", {{"status", "{}"}}}}},
                   {"spec", {{"nodeName", "n"}}},
                   {"status", {{"conditions", {{{"type", "Ready"}}}}}}});
}

TEST_CASE("of other types everything is kept") {
  CHECK(&observe::shape_of(kube::kLeases) == &json::whole());
}

}  // namespace
}  // namespace pgc
