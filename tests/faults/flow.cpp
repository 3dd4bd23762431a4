#include "tests/faults/flow.h"

#include "tests/support/world.h"

namespace pgc::faults {
namespace {

using test::World;

class ClusterScene final : public Scene {
 public:
  using Act = std::function<void(World&)>;

  ClusterScene(const std::string& spec, const std::vector<Act>& before, std::vector<Act> acts)
      : world_(spec), acts_(std::move(acts)) {
    for (const Act& act : before) play(act);
    world_.client.plan({});
  }

  void play() override {
    for (const Act& act : acts_) play(act);
  }
  test::FaultyClient& client() override { return world_.client; }
  std::string picture() override { return world_.picture(); }
  std::map<std::string, int> made() override { return world_.made(); }
  std::vector<std::string> harm() override { return world_.harm(); }
  std::string story() override { return world_.story(); }
  long checks() override { return world_.checks(); }

 private:
  void play(const Act& act) {
    act(world_);
    world_.settle();
  }

  World world_;
  const std::vector<Act> acts_;
};

using Act = ClusterScene::Act;

const Act kNothing = [](World&) {};
const Act kRemove = [](World& world) { world.remove_cluster(); };

Act scale(int replicas) {
  return [=](World& world) { world.scale(replicas); };
}

Act create(const std::string& spec) {
  return [=](World& world) { world.create_cluster(spec); };
}

Act change(const kube::Json& merge) {
  return [=](World& world) { world.change_cluster(merge); };
}

// An installation that is told another image: the operator starts anew with it.
Act another_image() {
  return [](World& world) {
    world.settings.images.at(16).image = "postgres:16.99";
    world.restart();
  };
}

Flow flow(const std::string& name, const std::string& spec, const std::vector<Act>& before,
          const std::vector<Act>& acts) {
  return {name, [=] { return std::make_unique<ClusterScene>(spec, before, acts); }};
}

const std::string kThree = "{version: '16', replicas: 3}";
const std::string kThreeDeletes =
    "{version: '16', replicas: 3, storage: {persistentVolumeClaimRetentionPolicy: {whenScaled: "
    "Delete, whenDeleted: Delete}}}";
const kube::Json kOtherSpec = {
    {"spec",
     {{"postgresql", {{"parameters", {{"work_mem", "8MB"}}}}},
      {"resources", {{"requests", {{"cpu", "1"}, {"memory", "1Gi"}}}}}}}};

}  // namespace

const std::vector<Flow>& flows() {
  static const std::vector<Flow> all = {
      flow("create one", "{version: '16', replicas: 1}", {}, {kNothing}),
      flow("create three", kThree, {}, {kNothing}),
      flow("create without TLS", "{version: '17', tls: {mode: Prefer}}", {}, {kNothing}),
      flow("scale 3 to 5 to 2", kThree, {kNothing}, {scale(5), scale(2)}),
      flow("scale 3 to 5 to 2, and the volumes go", kThreeDeletes, {kNothing},
           {scale(5), scale(2)}),
      flow("scale 3 to 1 to 3", kThree, {kNothing}, {scale(1), scale(3)}),
      flow("another spec", kThree, {kNothing}, {change(kOtherSpec)}),
      flow("a spec that is taken back", kThree, {kNothing},
           {change(kOtherSpec),
            change({{"spec", {{"postgresql", nullptr}, {"resources", nullptr}}}})}),
      flow("delete", kThree, {kNothing}, {kRemove}),
      flow("delete with volumes", kThreeDeletes, {kNothing}, {kRemove}),
      flow("create again on kept volumes", kThree, {kNothing, kRemove}, {create(kThree)}),
      flow("another image of the installation", kThree, {kNothing}, {another_image()}),
      {"first certificates of the webhook", first_certificates},
      {"renewed certificates of the webhook", renewed_certificates},
  };
  return all;
}

}  // namespace pgc::faults
