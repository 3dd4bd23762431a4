#include "shared/kube/reflector.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <mutex>
#include <thread>

#include "shared/kube/pause.h"
#include "tests/support/fake_client.h"

namespace pgc::kube {
namespace {

using namespace std::chrono_literals;

Object pod(const std::string& name, const std::string& version) {
  return Object(Json{{"metadata",
                      {{"namespace", "shop"},
                       {"name", name},
                       {"resourceVersion", version},
                       {"managedFields", Json::array({{{"manager", "kubelet"}}})}}}});
}

// One watch: what it delivers, and how it ends.
struct Script {
  std::vector<WatchEvent> events = {};
  Result<void> end = {};
};

// Lists and watches by script; when the scripts are used up, a watch stays open until it is
// stopped.
class ScriptedServer : public test::FakeClient {
 public:
  std::deque<Result<ObjectList>> lists;
  std::deque<Script> watches;

  Result<ObjectList> list(const ResourceType&, const ListOptions&) override {
    const std::lock_guard lock(mutex_);
    calls_.emplace_back("list");
    if (lists.empty()) return ObjectList{};
    auto answer = lists.front();
    lists.pop_front();
    return answer;
  }

  bool streams = false;

  Result<void> watch(const ResourceType&, const ListOptions& options, const std::string& version,
                     const std::function<void(const WatchEvent&)>& deliver,
                     std::stop_token stop) override {
    Script script{.events = {}, .end = {}};
    {
      const std::lock_guard lock(mutex_);
      if (options.initial_events && !streams) {
        ++refused_;
        return std::unexpected(Error{.kind = ErrorKind::kInvalid});
      }
      calls_.push_back(options.initial_events ? "stream" : "watch " + version);
      if (watches.empty()) {
        idle_ = true;
      } else {
        script = watches.front();
        watches.pop_front();
      }
    }
    for (const WatchEvent& event : script.events) deliver(event);
    if (idle_) pause_for(1h, stop);
    return script.end;
  }

  bool idle() const { return idle_; }
  int refused() {
    const std::lock_guard lock(mutex_);
    return refused_;
  }
  std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> calls_;
  int refused_ = 0;  // streams, by a server that has none
  std::atomic<bool> idle_{false};
};

struct Run {
  ScriptedServer server;
  Cache cache;
  std::vector<std::string> changes;
  std::vector<ErrorKind> errors;
  std::string began;

  void until_idle() {
    Reflector reflector(
        server, cache, kPods, {},
        {.changed =
             [this](const Change& change) {
               changes.push_back((change.kind == Change::Kind::kDeleted ? "-" : "+") + change.name);
             },
         .failed = [this](const ResourceType&,
                          const Error& error) { errors.push_back(error.kind); },
         .began =
             [this](const ResourceType&, ReflectorHooks::Beginning beginning) {
               began += beginning == ReflectorHooks::Beginning::kList ? "L" : "W";
             },
         .random = [] { return 0.0; }});
    CHECK_FALSE(reflector.synced());
    const std::jthread thread([&](std::stop_token stop) { reflector.run(stop); });
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!server.idle() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(1ms);
    }
    CHECK(reflector.synced());
  }
};

using Texts = std::vector<std::string>;

TEST_CASE("a reflector lists, then watches from there, and goes on where a watch ended") {
  Run run;
  run.server.lists = {ObjectList{{pod("a", "1"), pod("b", "2")}, "5"}};
  run.server.watches = {{.events = {{WatchEventType::kAdded, pod("c", "6")},
                                    {WatchEventType::kDeleted, pod("a", "7")}}},
                        {.events = {{WatchEventType::kModified, pod("b", "8")},
                                    {WatchEventType::kBookmark, pod("", "9")}}}};
  run.until_idle();
  CHECK(run.server.calls() == Texts{"list", "watch 5", "watch 7", "watch 9"});
  CHECK(run.changes == Texts{"+a", "+b", "+c", "-a"});  // of b only the version has changed
  CHECK(run.began == "LLWWW");
  CHECK(run.errors.empty());
  CHECK(run.cache.list(kPods, {})->items.size() == 2);
}

WatchEvent listed(const std::string& name, const std::string& version) {
  return {WatchEventType::kAdded, pod(name, version)};
}

WatchEvent end_of_list(const std::string& version) {
  Json document = {
      {"metadata",
       {{"resourceVersion", version}, {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}};
  return {WatchEventType::kBookmark, Object(std::move(document))};
}

TEST_CASE("where the server can, the list comes as the beginning of the watch") {
  Run run;
  run.server.streams = true;
  run.server.watches = {
      {.events = {listed("b", "4"), listed("a", "2"), end_of_list("5"), listed("c", "6")}}};
  run.until_idle();
  CHECK(run.server.calls() == Texts{"stream", "watch 6"});
  CHECK(run.changes == Texts{"+b", "+a", "+c"});
  CHECK(run.errors.empty());
}

TEST_CASE("a server without streaming lists is asked for one only once") {
  Run run;
  run.server.lists = {ObjectList{{pod("a", "1")}, "5"}, ObjectList{{pod("a", "1")}, "6"}};
  run.server.watches = {{.end = std::unexpected(Error{.kind = ErrorKind::kGone})}};
  run.until_idle();
  CHECK(run.server.calls() == Texts{"list", "watch 5", "list", "watch 6"});
  CHECK(run.server.refused() == 1);
}

// Its items come in no order, so that none of them is a place to go on from.
TEST_CASE("a streamed list that is cut off begins anew, and takes nothing away") {
  Run run;
  run.server.streams = true;
  run.cache.put(kPods, pod("a", "1"));
  run.server.watches = {
      {.events = {listed("c", "9")},
       .end = std::unexpected(Error{.kind = ErrorKind::kUnreachable})},
      {.events = {listed("b", "3")}},  // ended without a word
      {.events = {{WatchEventType::kBookmark, pod("", "9")}, listed("c", "9"), end_of_list("10")}}};
  run.until_idle();
  CHECK(run.server.calls() == Texts{"stream", "stream", "stream", "watch 10"});
  CHECK(run.changes == Texts{"+c", "+b", "-a", "-b"});
  CHECK(run.errors == std::vector{ErrorKind::kUnreachable, ErrorKind::kUnreachable});
}

TEST_CASE("after a streamed list, too, a forgotten place is a reason to list anew") {
  Run run;
  run.server.streams = true;
  run.server.watches = {{.events = {listed("a", "2"), end_of_list("5")},
                         .end = std::unexpected(Error{.kind = ErrorKind::kGone})},
                        {.events = {end_of_list("9")}}};
  run.until_idle();
  CHECK(run.server.calls() == Texts{"stream", "stream", "watch 9"});
  CHECK(run.changes == Texts{"+a", "-a"});
}

TEST_CASE("an API server that tells the past again does not bring it back") {
  Run run;
  run.server.lists = {ObjectList{{}, "5"}};
  run.server.watches = {{.events = {{WatchEventType::kAdded, pod("a", "8")}}},
                        {.events = {{WatchEventType::kDeleted, pod("a", "7")}}}};
  run.until_idle();
  CHECK(run.changes == Texts{"+a"});
  CHECK(run.cache.list(kPods, {})->items.size() == 1);
}

TEST_CASE("a server that has forgotten the place is listed anew, which tells what was missed") {
  Run run;
  run.server.lists = {ObjectList{{pod("a", "1"), pod("b", "2")}, "5"},
                      ObjectList{{pod("b", "2"), pod("c", "8")}, "9"}};
  run.server.watches = {{.end = std::unexpected(Error{.kind = ErrorKind::kGone})}};
  run.until_idle();
  CHECK(run.server.calls() == Texts{"list", "watch 5", "list", "watch 9"});
  CHECK(run.changes == Texts{"+a", "+b", "+c", "-a"});
  CHECK(run.errors == std::vector{ErrorKind::kGone});
}

TEST_CASE("a lost connection is told, and the watch goes on without a new list") {
  Run run;
  run.server.lists = {ObjectList{{pod("a", "1")}, "5"}};
  run.server.watches = {{.end = std::unexpected(Error{.kind = ErrorKind::kUnreachable})}};
  run.until_idle();
  CHECK(run.server.calls() == Texts{"list", "watch 5", "watch 5"});
  CHECK(run.errors == std::vector{ErrorKind::kUnreachable});
}

TEST_CASE("a list that fails is tried again, and nothing counts as synced before") {
  Run run;
  run.server.lists = {std::unexpected(Error{.kind = ErrorKind::kForbidden}),
                      ObjectList{{pod("a", "1")}, "5"}};
  run.until_idle();
  CHECK(run.server.calls() == Texts{"list", "list", "watch 5"});
  CHECK(run.changes == Texts{"+a"});
}

TEST_CASE("what a server that was away refuses at first is soon asked again") {
  Run run;
  const auto forbidden = std::unexpected(Error{.kind = ErrorKind::kForbidden});
  const auto away = std::unexpected(Error{.kind = ErrorKind::kUnreachable});
  run.server.lists = {forbidden, forbidden, forbidden, away, forbidden, ObjectList{{}, "5"}};
  const auto start = std::chrono::steady_clock::now();
  run.until_idle();
  const auto took = std::chrono::steady_clock::now() - start;
  CHECK(took >= 2s);  // 250 ms, 500 ms, 1 s, 25 ms, and again 250 ms
  CHECK(took < 3400ms);
}

// A proxy that answers and hangs up at once must not be asked a thousand times a second.
TEST_CASE("watches that end at once without a word are not repeated without a pause") {
  Run run;
  run.server.lists = {ObjectList{{}, "5"}};
  run.server.watches = {Script{}, Script{}, Script{}, Script{}, Script{}};
  const auto start = std::chrono::steady_clock::now();
  run.until_idle();
  // The first one brought the list; then 25 ms, 50 ms, 100 ms, 200 ms.
  CHECK(std::chrono::steady_clock::now() - start >= 350ms);
  CHECK(run.server.calls() ==
        Texts{"list", "watch 5", "watch 5", "watch 5", "watch 5", "watch 5", "watch 5"});
}

}  // namespace
}  // namespace pgc::kube
