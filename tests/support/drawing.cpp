#include "tests/support/drawing.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "shared/reconcile/names.h"
#include "shared/schema/structural/yaml.h"

namespace pgc::test {
namespace {

using kube::Json;
using kube::Object;
using reconcile::Names;
using reconcile::Observed;

const std::string kNamespace = "shop";
const Names kNames{"my-db"};

// One line of the drawing.
struct Line {
  std::string instance;
  std::string role;
  std::string state;
  std::vector<std::string> words;

  bool has(std::string_view word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
  // N of "position=N", or "".
  std::string value(const std::string& key) const {
    for (const std::string& word : words) {
      if (word.starts_with(key + "=")) return word.substr(key.size() + 1);
    }
    return "";
  }
  std::int64_t number(const std::string& key, std::int64_t otherwise) const {
    const std::string text = value(key);
    return text.empty() ? otherwise : std::stoll(text);
  }
};

std::vector<Line> read(std::string_view text) {
  std::vector<Line> result;
  std::istringstream input{std::string(text)};
  for (std::string row; std::getline(input, row);) {
    std::istringstream fields(row);
    Line line;
    if (!(fields >> line.instance >> line.role >> line.state)) continue;
    for (std::string word; fields >> word;) line.words.push_back(word);
    result.push_back(std::move(line));
  }
  return result;
}

void put(Observed& observed, const kube::ResourceType& type, const std::string& name,
         const Json& rest) {
  Json object = {{"metadata",
                  {{"name", name},
                   {"namespace", kNamespace},
                   {"uid", "uid-" + name},
                   {"resourceVersion", "1"},
                   {"labels", kNames.labels()}}}};
  object.merge_patch(rest);
  observed.objects.insert_or_assign({type, kNamespace, name}, Object(std::move(object)));
}

// `replication_state` is what tells of a replica whether it streams.
Json published(const Line& line) {
  Json status = {{"timeline", line.number("timeline", 1)},
                 {"xlog_location", line.number("position", 1 << 24)}};
  const bool streams = line.state == "streaming";
  status["state"] = streams ? "running" : line.state;
  if (streams) status["replication_state"] = "streaming";
  if (line.has("pending-restart")) status["pending_restart"] = true;
  return status;
}

Json labelled(const Line& line) {
  return {{"metadata", {{"labels", {{reconcile::kInstanceLabel, line.instance}}}}}};
}

Json pod(const Line& line) {
  Json result = labelled(line);
  if (line.role != "-")
    result["metadata"]["labels"][std::string(reconcile::kRoleLabel)] = line.role;
  if (line.state != "-") result["metadata"]["annotations"]["status"] = published(line).dump();
  if (line.has("terminating")) {
    result["metadata"]["deletionTimestamp"] = "2026-01-31T11:59:00Z";
  }
  if (const std::string node = line.value("node"); !node.empty()) result["spec"]["nodeName"] = node;
  const bool ready = line.state != "-" && !line.has("not-ready");
  result["status"]["conditions"] =
      Json::array({{{"type", "Initialized"}, {"status", "True"}},
                   {{"type", "Ready"}, {"status", ready ? "True" : "False"}}});
  if (line.has("unschedulable")) {
    result["status"]["conditions"].push_back(
        {{"type", "PodScheduled"}, {"status", "False"}, {"message", "no node has room"}});
  }
  if (const std::string reason = line.value("waiting"); !reason.empty()) {
    result["status"]["containerStatuses"] =
        Json::array({{{"name", "postgres"}, {"state", {{"waiting", {{"reason", reason}}}}}}});
  }
  return result;
}

void put_patroni(Observed& observed, const std::string& suffix, const Json& annotations) {
  put(observed, kube::kConfigMaps, kNames.patroni_object(suffix),
      {{"metadata", {{"annotations", annotations}}}});
}

void put_line(Observed& observed, const Line& line) {
  if (!line.has("no-set")) put(observed, kube::kStatefulSets, line.instance, labelled(line));
  if (!line.has("no-volume")) {
    Json claim = labelled(line);
    if (!line.has("unbound")) claim["spec"]["volumeName"] = "pv-of-" + line.instance;
    put(observed, kube::kPersistentVolumeClaims, line.instance + "-pgdata", claim);
  }
  if (!line.has("no-pod")) put(observed, kube::kPods, line.instance + "-0", pod(line));
  if (line.has("leader")) {
    put_patroni(observed, "leader",
                {{"leader", line.instance + "-0"},
                 {"optime", std::to_string(line.number("position", 1 << 24))}});
  }
}

}  // namespace

reconcile::Settings settings() {
  return {.images = {{16, {.image = "postgres:16", .tls = true}},
                     {17, {.image = "postgres:17", .tls = false}}},
          .agent_image = "agent:1",
          .storage_class = {}};
}

Json resource(std::string_view spec) {
  return {{"apiVersion", "db.example.com/v1"},
          {"kind", "PostgresCluster"},
          {"metadata",
           {{"name", "my-db"},
            {"namespace", kNamespace},
            {"uid", "uid-of-cluster"},
            {"resourceVersion", "100"},
            {"generation", 7},
            {"finalizers", {reconcile::kFinalizer}}}},
          {"spec", schema::parse_yaml(spec).value().at(0).value}};
}

Observed bare(std::string_view spec) {
  Observed observed;
  const Json document = resource(spec);
  observed.resource = Object(document);
  observed.cluster = schema::parse_postgres_cluster(document).value();
  return observed;
}

Observed drawn(std::string_view spec, std::string_view members) {
  Observed observed = bare(spec);
  const std::vector<Line> drawing = read(members);
  for (const Line& line : drawing) put_line(observed, line);
  if (!drawing.empty()) put_patroni(observed, "config", {{"initialize", "7412345678901234567"}});
  return observed;
}

reconcile::TimePoint noon() {
  return reconcile::TimePoint(std::chrono::seconds(1'769'860'800));
}

reconcile::Plan plan_of(const Observed& observed) {
  return reconcile::plan(observed, settings(), noon());
}

std::vector<std::string> lines(const reconcile::Plan& plan, std::string_view beginning) {
  std::vector<std::string> result;
  for (const reconcile::Action& action : plan.actions) {
    const std::string line = reconcile::describe(action);
    if (line.starts_with(beginning)) result.push_back(line.substr(beginning.size()));
  }
  return result;
}

const Object* applied(const reconcile::Plan& plan, const kube::ResourceType& type,
                      const std::string& name) {
  for (const reconcile::Action& action : plan.actions) {
    const auto* apply = std::get_if<reconcile::Apply>(&action);
    if (apply != nullptr && apply->ref.type == type && apply->ref.name == name) {
      return &apply->object;
    }
  }
  return nullptr;
}

}  // namespace pgc::test
