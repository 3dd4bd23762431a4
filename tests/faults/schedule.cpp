#include "tests/faults/schedule.h"

#include <algorithm>
#include <random>

#include "shared/observe/observe.h"
#include "shared/x509/base64.h"
#include "tests/support/world.h"

namespace pgc::faults {
namespace {

using kube::Json;
using test::Effect;
using test::World;

const char* name_of(Happening what) {
  const char* const names[] = {"turn",        "move",         "scale",     "change spec",
                               "kill",        "sicken",       "fail over", "delete child",
                               "deface",      "hold",         "release",   "faulty turn",
                               "restart",     "blind turn",   "see more",  "go back",
                               "interrupted", "another turn", "remove",    "create again"};
  return names[static_cast<int>(what)];
}

// What is drawn, as often as it stands here.
const std::vector<Happening>& urn() {
  using enum Happening;
  static const std::vector<Happening> all = {
      kTurn,        kTurn,        kTurn,        kTurn,       kMove,       kMove,
      kMove,        kMove,        kMove,        kMove,       kScale,      kScale,
      kChangeSpec,  kKill,        kSicken,      kFailOver,   kDeface,     kDeleteChild,
      kHold,        kRelease,     kFaultyTurn,  kFaultyTurn, kFaultyTurn, kFaultyTurn,
      kRestart,     kBlindTurn,   kBlindTurn,   kSeeMore,    kSeeMore,    kGoBack,
      kInterrupted, kInterrupted, kAnotherTurn, kRemove,     kCreateAgain};
  return all;
}

std::string spec_of(unsigned choice) {
  const char* const policies[] = {"Retain", "Delete"};
  return "{version: '16', replicas: " + std::to_string(1 + choice % 4) +
         ", storage: {persistentVolumeClaimRetentionPolicy: {whenScaled: " +
         policies[choice / 4 % 2] + ", whenDeleted: " + policies[choice / 8 % 2] + "}}}";
}

class Stage {
 public:
  explicit Stage(const Schedule& schedule) : spec_(schedule.spec), world_(schedule.spec) {}

  void act(const Event& event) {
    const int choice = static_cast<int>(event.choice % 1000);
    switch (event.what) {
      case Happening::kTurn:
        turn();
        break;
      case Happening::kMove:
        world_.move(choice);
        break;
      case Happening::kScale:
        world_.scale(1 + choice % 6);
        break;
      case Happening::kChangeSpec:
        change_spec(choice);
        break;
      case Happening::kKill:
        world_.kill(1 + choice % 6);
        break;
      case Happening::kSicken:
        world_.sicken(1 + choice % 6);
        break;
      case Happening::kFailOver:
        world_.fail_over();
        break;
      case Happening::kDeleteChild:
        world_.delete_child(choice);
        break;
      case Happening::kDeface:
        world_.deface(choice);
        break;
      case Happening::kHold:
        world_.hold(choice);
        break;
      case Happening::kRelease:
        world_.release();
        break;
      case Happening::kFaultyTurn:
        faulty_turn(event.choice);
        break;
      case Happening::kRestart:
        world_.restart();
        break;
      case Happening::kBlindTurn:
        blind_turn();
        break;
      case Happening::kSeeMore:
        see_more(choice);
        break;
      case Happening::kGoBack:
        go_back(choice);
        break;
      case Happening::kInterrupted:
        interrupted(choice);
        break;
      case Happening::kAnotherTurn:
        world_.turn_of_another();
        break;
      case Happening::kRemove:
        world_.remove_cluster();
        break;
      case Happening::kCreateAgain:
        if (!world_.exists()) world_.create_cluster(spec_);
        break;
    }
  }

  Verdict end(int resyncs) {
    world_.client.plan({});
    world_.keep_behind(false);
    world_.release();
    world_.settle();
    Verdict verdict{world_.harm(), world_.story(), world_.checks()};
    if (verdict.wrong.empty()) judge_end(verdict, resyncs);
    verdict.story = world_.story();
    return verdict;
  }

 private:
  void turn() {
    world_.keep_behind(false);
    world_.turn();
  }

  void blind_turn() {
    world_.keep_behind(true);
    world_.turn();
  }

  void change_spec(int choice) {
    const Json changes[] = {
        {{"postgresql", {{"parameters", {{"work_mem", std::to_string(1 + choice % 9) + "MB"}}}}}},
        {{"postgresql", nullptr}},
        {{"resources", {{"requests", {{"cpu", std::to_string(1 + choice % 4)}}}}}},
        {{"resources", nullptr}}};
    world_.change_cluster({{"spec", changes[choice % 4]}});
  }

  void faulty_turn(unsigned choice) {
    std::minstd_rand random(choice);
    const auto pick = [&](int below) {
      return static_cast<int>(random() % static_cast<unsigned long>(below));
    };
    std::vector<test::Fault> plan;
    for (int i = 0; i <= pick(3); ++i) {
      test::Fault fault;
      fault.effect = static_cast<Effect>(pick(8));
      fault.verb = pick(4) == 0 ? "read" : "write";
      fault.first = 1 + pick(8);
      fault.times = 1 + pick(2);
      plan.push_back(fault);
    }
    world_.client.plan(plan);
    turn();
    world_.client.plan({});
  }

  void see_more(int choice) {
    const auto& types = observe::child_types();
    const auto index = static_cast<std::size_t>(choice) % (types.size() + 1);
    world_.keep_behind(true);
    const kube::ResourceType type = index < types.size() ? types[index] : kube::kPostgresClusters;
    for (int i = 0; i <= choice % 5; ++i) world_.view().step(type);
    world_.turn();
  }

  void go_back(int choice) {
    world_.keep_behind(true);
    const std::int64_t now = world_.server.version();
    world_.view().go_back(now - choice % std::max<std::int64_t>(1, now - 1000));
    world_.turn();
  }

  // Before one of the writes of a turn.
  void interrupted(int choice) {
    const auto inspect = world_.client.before;
    int left = choice % 7;
    world_.client.before = [&, inspect](const test::FaultyClient::Call& call) {
      if (call.writes() && left-- == 0) interfere(choice / 7);
      inspect(call);
    };
    world_.keep_behind(true);
    world_.view().catch_up();
    world_.turn();
    world_.client.before = inspect;
  }

  void interfere(int choice) {
    switch (choice % 6) {
      case 0:
        return world_.scale(1 + choice % 6);
      case 1:
        return world_.deface(choice);
      case 2:
        return world_.delete_child(choice);
      case 3:
        return world_.fail_over();
      case 4:
        return world_.turn_of_another();
      default:
        world_.move(choice);
    }
  }

  void judge_end(Verdict& verdict, int resyncs) {
    const auto wrong_if = [&](bool wrong, const std::string& what) {
      ++verdict.checks;
      if (wrong) verdict.wrong.push_back(what);
    };
    for (int i = 0; i < resyncs; ++i) {
      world_.restart();
      for (const std::string& write : world_.turn()) wrong_if(true, "at rest, writes: " + write);
    }
    for (const std::string& left : world_.left_over()) {
      const bool kept = left.starts_with("persistentvolumeclaims") || left.starts_with("secrets");
      wrong_if(!world_.exists() && !kept, "left over: " + left);
    }
    if (!world_.exists()) return;
    wrong_if(world_.phase() != "Ready", "ends in phase " + world_.phase());
    wrong_if(world_.members() != static_cast<std::size_t>(world_.wanted()),
             "ends with members " + world_.drawing());
    wrong_if(world_.tells_secrets(), "tells a secret");
  }

  const std::string spec_;
  World world_;
};

}  // namespace

std::string Schedule::to_string() const {
  std::string text = "seed " + std::to_string(seed) + ", " + spec;
  for (const Event& event : events) {
    text += "\n  " + std::string(name_of(event.what)) + " " + std::to_string(event.choice);
  }
  return text;
}

Schedule schedule_of(unsigned seed) {
  std::mt19937 random(seed);
  Schedule schedule{seed, spec_of(static_cast<unsigned>(random())), {}};
  const auto length = 10 + random() % 40;
  for (unsigned i = 0; i < length; ++i) {
    schedule.events.push_back(
        {urn()[random() % urn().size()], static_cast<unsigned>(random() % 100'000)});
  }
  return schedule;
}

Verdict play(const Schedule& schedule, int resyncs) {
  Stage stage(schedule);
  for (const Event& event : schedule.events) stage.act(event);
  return stage.end(resyncs);
}

Schedule shrink(const Schedule& schedule, int resyncs) {
  Schedule best = schedule;
  for (std::size_t size = best.events.size(); size > 0; size /= 2) {
    for (std::size_t at = 0; at + size <= best.events.size();) {
      Schedule shorter = best;
      const auto from = shorter.events.begin() + static_cast<std::ptrdiff_t>(at);
      shorter.events.erase(from, from + static_cast<std::ptrdiff_t>(size));
      if (play(shorter, resyncs).wrong.empty()) {
        at += size;
      } else {
        best = std::move(shorter);
      }
    }
  }
  return best;
}

}  // namespace pgc::faults
