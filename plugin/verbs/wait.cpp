#include "plugin/verbs/wait.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "plugin/printers/age.h"
#include "plugin/printers/text.h"

namespace pgc::plugin {
namespace {

using kube::int_at;
using kube::Json;
using kube::Object;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Asking again is cheap for the server and needs no thread; a watch would save half of this.
constexpr milliseconds kInterval{500};

kube::Error failure(std::string message) {
  return {.message = std::move(message)};
}

bool observed(const Object& cluster) {
  return int_at(cluster.json(), {"status", "observedGeneration"}) >= cluster.generation();
}

bool reached(const Object& cluster, std::int64_t wanted) {
  return observed(cluster) && int_at(cluster.json(), {"status", "replicas"}) == wanted &&
         int_at(cluster.json(), {"status", "readyReplicas"}) == wanted;
}

std::string progress(const Object& cluster, std::int64_t wanted) {
  if (!observed(cluster)) return "waiting for the operator to see the change";
  const std::int64_t exist = int_at(cluster.json(), {"status", "replicas"});
  std::string text = std::to_string(int_at(cluster.json(), {"status", "readyReplicas"})) + " of " +
                     std::to_string(wanted) + " replicas ready";
  if (exist > wanted) text += ", " + std::to_string(exist - wanted) + " still to remove";
  if (exist < wanted) text += ", " + std::to_string(wanted - exist) + " still to create";
  return text;
}

// "my-db-4 (starting), my-db-5 (no state yet)"
std::string unready_instances(const Object& cluster) {
  std::string text;
  const Json* instances = kube::find_at(cluster.json(), {"status", "instances"});
  if (instances == nullptr || !instances->is_array()) return text;
  for (const Json& instance : *instances) {
    const Json* ready = kube::find_at(instance, {"ready"});
    if (ready != nullptr && ready->is_boolean() && ready->get<bool>()) continue;
    const auto state = kube::string_at(instance, {"state"});
    text += (text.empty() ? "" : ", ") + std::string(kube::string_at(instance, {"name"})) + " (" +
            (state.empty() ? "no state yet" : std::string(state)) + ")";
  }
  return text;
}

// What the operator itself fails with, where it does.
std::string degraded(const Object& cluster) {
  const Json* conditions = kube::find_at(cluster.json(), {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return "";
  for (const Json& condition : *conditions) {
    if (kube::string_at(condition, {"type"}) == "Degraded" &&
        kube::string_at(condition, {"status"}) == "True") {
      return std::string(kube::string_at(condition, {"message"}));
    }
  }
  return "";
}

std::string missing(const Object& cluster, std::int64_t wanted) {
  std::string text = progress(cluster, wanted);
  if (const auto unready = unready_instances(cluster); !unready.empty()) {
    text += "; not ready: " + unready;
  }
  if (const auto why = degraded(cluster); !why.empty()) text += "; " + why;
  return text;
}

// Rewrites one line on a terminal; elsewhere, as in a log, writes a line where something changed.
class ProgressLine {
 public:
  ProgressLine(const Streams& streams, std::string name)
      : streams_(streams), name_(std::move(name)) {}

  void show(const std::string& text, seconds elapsed) {
    if (streams_.err_is_terminal) {
      streams_.err << "\r\x1b[K" << name_ << ": " << printable(text) << " ("
                   << human_duration(elapsed) << ")" << std::flush;
    } else if (text != last_) {
      streams_.err << name_ << ": " << printable(text) << std::endl;
    }
    last_ = text;
  }

  void finish() {
    if (streams_.err_is_terminal && !last_.empty()) streams_.err << "\r\x1b[K" << std::flush;
  }

 private:
  const Streams& streams_;
  std::string name_;
  std::string last_;
};

kube::Error timed_out(const ScaleGoal& goal, const std::string& last_seen) {
  return failure("timed out waiting for the condition on postgresclusters/" + goal.ref.name +
                 " after " + human_duration(std::chrono::floor<seconds>(goal.timeout)) + ": " +
                 last_seen);
}

kube::Error overtaken(const ScaleGoal& goal, const Object& cluster) {
  return failure("stopped waiting for " + std::to_string(goal.replicas) + " replicas of " +
                 goal.ref.name + ": somebody asked for " +
                 std::to_string(int_at(cluster.json(), {"spec", "replicas"})) + " meanwhile");
}

// One look. True: the goal is reached. `seen` says what is missing otherwise.
kube::Result<bool> look(const ScaleGoal& goal, kube::Reader& reader, std::string& shown,
                        std::string& seen) {
  const auto cluster = reader.get(goal.ref);
  if (!cluster) {
    if (!cluster.error().retryable()) return std::unexpected(cluster.error());
    shown = seen = "the server does not answer: " + cluster.error().message;
    return false;
  }
  if (int_at(cluster->json(), {"spec", "replicas"}, goal.replicas) != goal.replicas) {
    return std::unexpected(overtaken(goal, *cluster));
  }
  shown = progress(*cluster, goal.replicas);
  seen = missing(*cluster, goal.replicas);
  return reached(*cluster, goal.replicas);
}

kube::Result<void> wait(const ScaleGoal& goal, kube::Reader& reader, const Clock& clock,
                        ProgressLine& line) {
  const TimePoint start = clock.now();
  for (std::string shown, seen;; clock.sleep(kInterval)) {
    const auto done = look(goal, reader, shown, seen);
    if (!done) return std::unexpected(done.error());
    if (*done) return {};
    const auto elapsed = clock.now() - start;
    if (elapsed >= goal.timeout) return std::unexpected(timed_out(goal, seen));
    line.show(shown, std::chrono::floor<seconds>(elapsed));
  }
}

}  // namespace

kube::Result<void> wait_until_scaled(const ScaleGoal& goal, kube::Reader& reader,
                                     const Streams& streams, const Clock& clock) {
  const TimePoint start = clock.now();
  ProgressLine line(streams, goal.ref.name);
  const auto result = wait(goal, reader, clock, line);
  line.finish();
  if (!result) return result;
  streams.out << "postgrescluster.db.example.com/" << goal.ref.name << " has " << goal.replicas
              << " of " << goal.replicas << " replicas ready after "
              << human_duration(std::chrono::floor<seconds>(clock.now() - start)) << '\n';
  return {};
}

}  // namespace pgc::plugin
