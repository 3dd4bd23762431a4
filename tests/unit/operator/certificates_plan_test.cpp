#include "operator/certificates_plan.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::certificates {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;

const std::string kName = "pgc-webhook.pgc-system.svc";
const Time kStart{seconds(1'800'000'000)};

// The cluster as far as it matters here, changed by steps as the executor would change it.
class World {
 public:
  World() {
    observed_.configurations = {
        {{kube::kMutatingWebhooks, "", "pgc-webhook"}, "u", {{"m.db.example.com", ""}}},
        {{kube::kValidatingWebhooks, "", "pgc-webhook"}, "u", {{"v.db.example.com", ""}}}};
  }

  Observed& observed() { return observed_; }
  const Observed& observed() const { return observed_; }
  Plan next() const { return plan(observed_, kName, now); }

  // Calls for as long as there is something to do at once, and says what was done.
  std::string settle() {
    std::string done;
    for (int round = 0; round < 10; ++round) {
      const Plan todo = next();
      for (const Step& step : todo.steps) {
        std::visit([this, &done](const auto& which) { done += apply(which); }, step);
      }
      if (todo.look_again > seconds(0)) return done;
    }
    FAIL("never comes to rest");
    return done;
  }

  // What an API server asks: does the bundle cover what the webhook shows?
  bool verifies() const {
    for (const auto& configuration : observed_.configurations) {
      for (const auto& hook : configuration.hooks) {
        if (!x509::verify_chain(observed_.leaf->certificate, hook.bundle, kName,
                                x509::Usage::kServer, now)) {
          return false;
        }
      }
    }
    return true;
  }

  Time now = kStart;

 private:
  std::string apply(const MakeCa& step) {
    ca_ = x509::make_ca("CA", {now - kBackdate, now + kCaLife}, x509::random_serial()).value();
    observed_.ca = ObservedCa{ca_.certificate, step.previous, true};
    return "ca ";
  }
  std::string apply(const ForgetPreviousCa&) {
    observed_.ca->previous.clear();
    return "forget ";
  }
  std::string apply(const IssueLeaf& step) {
    const auto leaf = x509::issue_leaf(
        ca_,
        {.common_name = "w", .dns_names = {kName}, .ip_addresses = {}, .validity = step.validity},
        x509::random_serial());
    observed_.leaf = ObservedLeaf{leaf->certificate, step.trusted, true};
    return "leaf ";
  }
  std::string apply(const PublishCa& step) {
    observed_.leaf->trusted = step.trusted;
    return "ca.crt ";
  }
  std::string apply(const PublishBundle& step) {
    for (auto& configuration : observed_.configurations) {
      if (configuration.ref != step.ref) continue;
      for (auto& hook : configuration.hooks) hook.bundle = step.trusted;
    }
    return "bundle ";
  }

  Observed observed_;
  x509::Pair ca_;
};

World installed() {
  World world;
  world.settle();
  return world;
}

std::size_t trusted_cas(const World& world) {
  return x509::split(world.observed().leaf->trusted)->size();
}

TEST_CASE("a first installation needs one go, and then nothing") {
  World world;
  CHECK(world.settle() == "ca bundle bundle leaf ");
  CHECK(world.verifies());
  CHECK(world.next().steps.empty());
  CHECK(world.next().look_again == kLookAgain);
}

TEST_CASE("without webhook configurations the certificate is made all the same") {
  World world;
  world.observed().configurations.clear();
  CHECK(world.settle() == "ca leaf ");
}

TEST_CASE("a leaf is renewed at two thirds of its life, under the same CA") {
  World world = installed();
  world.now = kStart + days(59);
  CHECK(world.settle().empty());
  world.now = kStart + days(60);
  CHECK(world.settle() == "leaf ");
  CHECK(world.verifies());
}

TEST_CASE("a CA is replaced with an overlap, and at no moment does an API server fail to verify") {
  World world = installed();
  world.now = kStart + days(200);
  world.settle();
  world.now = kStart + days(244);  // two thirds of 365 days are over; the leaf is young
  CHECK(world.settle() == "ca bundle bundle ca.crt ");
  CHECK(world.verifies());
  CHECK(trusted_cas(world) == 2);

  SECTION("not before API servers have had time to see the bundle") {
    world.now += kSettle - seconds(1);
    CHECK(world.settle().empty());
  }
  world.now = kStart + days(244) + kSettle;
  CHECK(world.settle() == "leaf ");
  CHECK(world.verifies());

  SECTION("not before the replicas have had time to load the leaf") {
    world.now += kOverlap - seconds(1);
    CHECK(world.settle().empty());
  }
  world.now = kStart + days(244) + kSettle + kOverlap;
  CHECK(world.settle() == "forget bundle bundle ca.crt ");
  CHECK(world.verifies());
  CHECK(trusted_cas(world) == 1);
  CHECK(world.settle().empty());
}

TEST_CASE("a due leaf waits while a bundle has been overwritten") {
  World world = installed();
  world.now = kStart + days(60);
  world.observed().configurations[1].hooks[0].bundle = "";
  const Plan next = world.next();
  REQUIRE(next.steps.size() == 1);
  CHECK(std::holds_alternative<PublishBundle>(next.steps[0]));
}

TEST_CASE("five years of looking every hour: never a gap, one CA in the end") {
  World world = installed();
  for (int hour = 0; hour < 5 * 365 * 24; hour += 6) {
    world.now = kStart + hours(hour);
    world.settle();
    if (!world.verifies()) FAIL("gap at hour " << hour);
  }
  CHECK(trusted_cas(world) == 1);
}

TEST_CASE("what is lost or broken is made again") {
  World world = installed();
  SECTION("a bundle") {
    world.observed().configurations[0].hooks[0].bundle = "";
    CHECK(world.settle() == "bundle ");
  }
  SECTION("the leaf's Secret") {
    world.observed().leaf = std::nullopt;
    CHECK(world.settle() == "leaf ");
  }
  SECTION("the leaf's key") {
    world.observed().leaf->usable = false;
    CHECK(world.settle() == "leaf ");
  }
  SECTION("the list of CAs beside the leaf") {
    world.observed().leaf->trusted = "";
    CHECK(world.settle() == "ca.crt ");
  }
  SECTION("the CA's Secret: the leaf is good, so the old CA stays trusted until it is replaced") {
    world.observed().ca = std::nullopt;
    CHECK(world.settle() == "ca bundle bundle ca.crt ");
    CHECK(world.verifies());
    world.now += kSettle;
    CHECK(world.settle() == "leaf ");
    CHECK(world.verifies());
  }
  SECTION("the CA's key") {
    world.observed().ca->usable = false;
    CHECK(world.settle() == "ca bundle bundle ca.crt ");
  }
  SECTION("everything, after a sleep of years") {
    world.now = kStart + days(1000);
    CHECK(world.settle() == "ca bundle bundle leaf ");
    CHECK(trusted_cas(world) == 1);
  }
  CHECK(world.verifies());
}

TEST_CASE(
    "all hooks of a configuration are written together, or apply would take the others away") {
  World world = installed();
  auto& hooks = world.observed().configurations[0].hooks;
  hooks.push_back({"another.db.example.com", ""});
  const Plan next = world.next();
  REQUIRE(next.steps.size() == 1);
  CHECK(std::get<PublishBundle>(next.steps[0]).hooks ==
        std::vector<std::string>{"m.db.example.com", "another.db.example.com"});
}

TEST_CASE("a leaf never outlives its CA") {
  World world = installed();
  const Plan next = [&] {
    world.now = kStart + days(240);
    world.observed().leaf = std::nullopt;
    return world.next();
  }();
  const auto ca = x509::parse(world.observed().ca->certificate);
  CHECK(std::get<IssueLeaf>(next.steps.at(0)).validity.not_after <= ca->validity.not_after);
}

}  // namespace
}  // namespace pgc::certificates
