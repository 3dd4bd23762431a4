// Which way a cluster took does not show: A to B, A over C to B, and A over something wrong to B
// all end the same.
#include <catch2/catch_test_macros.hpp>
#include <iostream>
#include <random>

#include "tests/faults/difference.h"
#include "tests/faults/numbers.h"
#include "tests/support/world.h"

namespace pgc::faults {
namespace {

using kube::Json;
using test::World;
using Texts = std::vector<std::string>;

class Author {
 public:
  explicit Author(unsigned seed) : random_(seed) {}

  // A whole spec, as it is stored.
  Json spec() {
    Json spec = {{"version", "16"},
                 {"replicas", 1 + pick(4)},
                 {"storage",
                  {{"size", "10Gi"},
                   {"persistentVolumeClaimRetentionPolicy",
                    {{"whenScaled", "Delete"}, {"whenDeleted", "Retain"}}}}}};
    if (pick(2) == 0) spec["resources"]["requests"]["cpu"] = std::to_string(1 + pick(3));
    if (pick(2) == 0) spec["resources"]["limits"]["memory"] = std::to_string(1 + pick(3)) + "Gi";
    for (const char* name : {"work_mem", "maintenance_work_mem"}) {
      if (pick(3) == 0) {
        spec["postgresql"]["parameters"][name] = std::to_string(1 + pick(9)) + "MB";
      }
    }
    if (pick(3) == 0) spec["tls"]["mode"] = pick(2) == 0 ? "Prefer" : "Require";
    return spec;
  }

  Json wrong() {
    Json spec = this->spec();
    switch (pick(4)) {
      case 0:
        spec["version"] = "nonsense";
        break;
      case 1:
        spec["replicas"] = -1;
        break;
      case 2:
        spec["resources"] = {{"requests", {{"cpu", "lots"}}}};
        break;
      default:
        spec["postgresql"] = {{"parameters", {{"work_mem", "many"}}}};
    }
    return spec;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned long>(below)); }

  std::minstd_rand random_;
};

std::string end_of(const std::vector<Json>& way, Texts& harm, std::string& story) {
  World world(way.front().dump());
  world.settle();
  for (std::size_t i = 1; i < way.size(); ++i) {
    world.set_spec(way[i]);
    world.settle();
  }
  harm = world.harm();
  story = world.story();
  return world.picture_of_children();
}

TEST_CASE("the end does not depend on the way") {
  const unsigned first = first_seed();
  const unsigned count = how_many(200, 10'000);
  for (unsigned seed = first; seed < first + count; ++seed) {
    Author author(seed);
    const Json a = author.spec();
    const Json b = author.spec();
    const Json c = author.spec();
    const Json wrong = author.wrong();
    Texts harm;
    std::string story;
    const std::string straight = end_of({a, b}, harm, story);
    for (const std::vector<Json>& way :
         {std::vector{a, c, b}, std::vector{a, wrong, b}, std::vector{b}}) {
      const std::string end = end_of(way, harm, story);
      CAPTURE(seed, a.dump(), b.dump(), way.size(), story);
      CHECK(harm == Texts{});
      CHECK(difference(end, straight) == "");
    }
  }
  std::cout << "pairs: " << count << ", each over four ways, seeds " << first << " to "
            << first + count - 1 << "\n";
}

}  // namespace
}  // namespace pgc::faults
