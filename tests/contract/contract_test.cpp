// The in-memory API server and a real one, found through KUBECONFIG, run the same programmes: the
// same answers, the same objects, and for each object the same events in the same order.
//
// PGC_CONTRACT_PROGRAMMES and PGC_CONTRACT_SEED say how many and from which seed on. No controller
// runs beside the real API server, and each programme has a namespace of its own.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "shared/kube/kubeconfig.h"
#include "shared/schema/structural/yaml.h"
#include "tests/contract/side.h"
#include "tests/support/api_server.h"

namespace pgc::contract {
namespace {

using namespace std::chrono_literals;
using kube::Json;
using kube::Object;
using Texts = std::vector<std::string>;

constexpr int kSteps = 1000;
constexpr kube::ResourceType kNamespaces{"", "v1", "namespaces", "Namespace", false};
constexpr kube::ResourceType kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                          "CustomResourceDefinition", false};

std::unique_ptr<kube::Client> real_server() {
  const char* path = std::getenv("KUBECONFIG");
  if (path == nullptr) SKIP("KUBECONFIG names no API server");
  const auto config = kube::load_kubeconfig({.kubeconfig = path}, kube::environment_variable);
  REQUIRE(config);
  auto client = kube::make_http_client(*config, {.user_agent = "unknown/1"});
  REQUIRE(client);
  return *std::move(client);
}

template <typename Condition>
bool within(std::chrono::seconds time, const Condition& holds) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

void install_crd(kube::Client& client) {
  std::ifstream file(std::string(PGC_SOURCE_DIR) + "/manifests/crd/postgresclusters.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  const Json crd = schema::parse_yaml(text.str()).value().at(0).value;
  REQUIRE(client.patch({kDefinitions, "", "postgresclusters.db.example.com"},
                       kube::PatchType::kApply, crd, {.field_manager = "contract", .force = true}));
  REQUIRE(within(20s, [&] { return client.list(kube::kPostgresClusters, {}).has_value(); }));
}

// What the watches of one server hear, per object.
class Listener {
 public:
  Listener(kube::Client& client, const std::string& ns) {
    for (const kube::ResourceType& type : types()) {
      const std::string from = client.list(type, {.ns = ns})->resource_version;
      threads_.emplace_back([=, this, &client](std::stop_token stop) {
        std::string version = from;
        while (!stop.stop_requested()) {
          const auto ended = client.watch(
              type, {.ns = ns}, version,
              [&](const kube::WatchEvent& event) {
                version = event.object.resource_version();
                hear(type, event);
              },
              stop);
          if (!ended) return hear_end(ended.error());
        }
      });
    }
  }

  // All that was heard, once every type has told of an object of this name.
  std::map<std::string, Texts> heard_until(const std::string& last) {
    CHECK(within(20s, [&] {
      const std::lock_guard lock(mutex_);
      return std::ranges::count_if(heard_, [&](const auto& entry) {
               return entry.first.ends_with("/" + last);
             }) == static_cast<long>(types().size());
    }));
    for (std::jthread& thread : threads_) thread.request_stop();
    threads_.clear();
    return heard_;
  }

 private:
  void hear(const kube::ResourceType& type, const kube::WatchEvent& event) {
    if (event.type == kube::WatchEventType::kBookmark) return;
    const char* const names[] = {"added ", "modified ", "deleted "};
    const std::lock_guard lock(mutex_);
    heard_[std::string(type.plural) + "/" + std::string(event.object.name())].push_back(
        names[static_cast<int>(event.type)] + normal(event.object).dump());
  }
  void hear_end(const kube::Error& error) {
    const std::lock_guard lock(mutex_);
    heard_["error"].push_back(error.message);
  }

  std::mutex mutex_;
  std::map<std::string, Texts> heard_;
  std::vector<std::jthread> threads_;
};

Step ending(const kube::ResourceType& type) {
  Step step{.verb = Verb::kCreate, .type = type, .name = "last"};
  for (const Step& other : programme(1, 500)) {
    if (other.type == type && other.verb == Verb::kCreate) step.body = other.body;
  }
  step.body["metadata"] = Json::object();
  return step;
}

// What was done to the object of a step up to it, for whoever wants to know why.
std::string story(const std::vector<Step>& steps, std::size_t until) {
  std::string text;
  for (std::size_t i = 0; i <= until; ++i) {
    const Step& step = steps[i];
    const bool same = step.type == steps[until].type && step.name == steps[until].name;
    if (same && step.verb != Verb::kGet) text += std::to_string(i) + ": " + step.describe() + "\n";
  }
  return text;
}

Texts lines_of(const std::string& text) {
  std::istringstream input(text);
  Texts lines;
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

// The lines that only one of them has.
std::string comparison(const std::string& of_fake, const std::string& of_real) {
  const Texts left = lines_of(of_fake);
  const Texts right = lines_of(of_real);
  std::string text;
  for (const std::string& line : left) {
    if (std::ranges::count(right, line) < std::ranges::count(left, line)) {
      text += "in memory: " + line + "\n";
    }
  }
  for (const std::string& line : right) {
    if (std::ranges::count(left, line) < std::ranges::count(right, line)) {
      text += "real:      " + line + "\n";
    }
  }
  return text;
}

// A difference that is known: to the real one a map may still be somebody's when all that was in it
// is gone, and then whoever puts something into it has a conflict. With force both do the same.
bool about_an_empty_map(const Step& step, const std::string& of_fake, const std::string& of_real) {
  static const Texts kMaps = {
      ".metadata.labels",           ".metadata.annotations",     ".data",
      ".metadata.finalizers",       ".metadata.ownerReferences", ".spec.resources.requests",
      ".spec.postgresql.parameters"};
  if (step.patch != kube::PatchType::kApply || step.options.force) return false;
  if (of_real.find("conflict with") == std::string::npos) return false;
  const Texts known = lines_of(of_fake);
  return std::ranges::all_of(lines_of(of_real), [&](const std::string& line) {
    if (!line.starts_with("  ") || std::ranges::find(known, line) != known.end()) return true;
    return std::ranges::any_of(
        kMaps, [&](const std::string& map) { return line.starts_with("  " + map + " "); });
  });
}

// Another: the one in memory knows no schema, so an item of which one manager's part is left stays,
// where the real one misses the rest. And where a map is still somebody's when the last thing in it
// is given up, the real one puts a null in its place, which a custom object may not hold.
bool about_a_rest(const Step& step, const std::string& of_fake, const std::string& of_real,
                  const std::string& why) {
  return step.patch == kube::PatchType::kApply && !of_fake.starts_with("refused") &&
         of_real == "refused: 422 Invalid" &&
         (why.find("Required value") != std::string::npos ||
          why.find("Invalid value: \"null\"") != std::string::npos);
}

// And a third: to the real one it is a write where nothing changes but who has a map, and where a
// volume is PUT as it is.
Texts without_repetitions(Texts events) {
  const auto content = [](const std::string& event) { return event.substr(event.find('{')); };
  const auto repeats = [&](const std::string& one, const std::string& next) {
    return next.starts_with("modified") && content(one) == content(next);
  };
  events.erase(std::ranges::unique(events, repeats).begin(), events.end());
  return events;
}

std::string object_of(const Step& step) {
  return std::string(step.type.plural) + "/" + step.name;
}

void wipe_out(const Step& step, Side& side) {
  Step release{.verb = Verb::kPatch, .type = step.type, .name = step.name};
  release.body = {{"metadata", {{"finalizers", nullptr}}}};
  side.perform(release);
  side.perform({.verb = Verb::kDelete, .type = step.type, .name = step.name});
}

void run(unsigned seed, kube::Client& real) {
  const std::string ns =
      "contract-" + std::to_string(seed) + "-" +
      std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  REQUIRE(real.create(kNamespaces, "", Object(Json{{"metadata", {{"name", ns}}}}), {}));
  test::ApiServer fake;
  Side one(fake, ns);
  Side other(real, ns);
  Listener listener_of_fake(fake, ns);
  Listener listener_of_real(real, ns);
  const std::vector<Step> steps = programme(seed, kSteps);
  std::set<std::string> different;  // objects whose events are
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string of_fake = one.perform(steps[i]);
    const std::string of_real = other.perform(steps[i]);
    if (of_fake == of_real) continue;
    if (about_an_empty_map(steps[i], of_fake, of_real)) {
      Step forced = steps[i];
      forced.options.force = true;
      // What the one in memory has written at once is an event that the real one does not have.
      if (!of_fake.starts_with("refused")) different.insert(object_of(steps[i]));
      if (one.perform(forced) == other.perform(forced)) continue;
    }
    if (about_a_rest(steps[i], of_fake, of_real, other.last_message())) {
      different.insert(object_of(steps[i]));
      wipe_out(steps[i], one);
      wipe_out(steps[i], other);
      continue;
    }
    INFO("seed " << seed << "\n"
                 << story(steps, i) << comparison(of_fake, of_real) << "last refusals:\n"
                 << one.last_message() << "\n"
                 << other.last_message());
    FAIL("step " << i << " is answered differently");
  }
  for (const kube::ResourceType& type : types()) {
    REQUIRE(one.perform(ending(type)) == other.perform(ending(type)));
  }
  const auto heard_by_fake = listener_of_fake.heard_until("last");
  const auto heard_by_real = listener_of_real.heard_until("last");
  for (const auto& [object, heard] : heard_by_real) {
    const Texts events = without_repetitions(heard);
    const Texts other_events = without_repetitions(heard_by_fake.at(object));
    if (other_events == events || different.contains(object)) continue;
    const auto [left, right] = std::ranges::mismatch(other_events, events);
    INFO("seed " << seed << " " << object << " event " << right - events.begin());
    INFO("in memory: " << (left == other_events.end() ? "none" : *left));
    INFO("real:      " << (right == events.end() ? "none" : *right));
    FAIL_CHECK("different events");
  }
  CHECK(heard_by_fake.size() == heard_by_real.size());
}

unsigned number(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

TEST_CASE("random programmes do the same to the in-memory API server and to a real one") {
  const auto real = real_server();
  install_crd(*real);
  const unsigned first = number("PGC_CONTRACT_SEED", 1);
  const unsigned count = number("PGC_CONTRACT_PROGRAMMES", 5);
  for (unsigned seed = first; seed < first + count; ++seed) run(seed, *real);
  std::cout << "contract: " << count << " programmes of " << kSteps << " steps, seeds " << first
            << " to " << first + count - 1 << "\n";
}

}  // namespace
}  // namespace pgc::contract
