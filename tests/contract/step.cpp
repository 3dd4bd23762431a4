#include "tests/contract/step.h"

namespace pgc::contract {
namespace {

using kube::Json;
using kube::PatchType;

const char* const kManagers[] = {"one", "two", "three"};
const char* const kNames[] = {"a", "b", "c"};

class Author {
 public:
  explicit Author(unsigned seed) : random_(seed) {}

  Step step() {
    Step result;
    result.type = types()[static_cast<std::size_t>(pick(static_cast<int>(types().size())))];
    result.name = kNames[pick(3)];
    result.options.field_manager = kManagers[pick(3)];
    result.options.dry_run = chance(12);
    const int what = pick(100);
    if (what < 6) {
      result.verb = Verb::kGet;
    } else if (what < 10) {
      list(result);
    } else if (what < 30) {
      result.verb = Verb::kCreate;
      result.body = whole(result);
    } else if (what < 42) {
      replace(result);
    } else if (what < 52) {
      merge(result);
    } else if (what < 60) {
      json(result);
    } else if (what < 88) {
      apply(result);
    } else {
      remove(result);
    }
    return result;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned long>(below)); }
  bool chance(int one_in) { return pick(one_in) == 0; }
  std::string digit() { return std::to_string(1 + pick(3)); }

  Claim claim(int one_in) {
    if (!chance(one_in)) return Claim::kNone;
    const Claim all[] = {Claim::kCurrent, Claim::kCurrent, Claim::kOld, Claim::kWrong};
    return all[pick(4)];
  }

  void list(Step& step) {
    step.verb = Verb::kList;
    const char* const selectors[] = {"", "app=1", "app=1,tier=2"};
    step.selector = selectors[pick(3)];
  }

  void replace(Step& step) {
    step.verb = Verb::kReplace;
    // A Service that is not there is created by it.
    step.body = part(step, /*whole=*/step.type == kube::kServices);
    step.version = chance(3) ? claim(1) : Claim::kCurrent;
    if (chance(6)) step.version = Claim::kNone;
    step.uid = claim(6);
    if (step.type == kube::kPostgresClusters && chance(3)) status(step);
  }

  void merge(Step& step) {
    step.verb = Verb::kPatch;
    step.patch = PatchType::kMerge;
    step.body = part(step, /*whole=*/false);
    step.version = claim(4);
    step.uid = claim(8);
    if (chance(4)) step.body["metadata"]["finalizers"] = nullptr;
    if (chance(6)) step.body["metadata"]["labels"] = nullptr;
    if (step.type == kube::kPostgresClusters && chance(3)) status(step);
    const bool scales = step.type == kube::kPostgresClusters || step.type == kube::kStatefulSets;
    if (scales && chance(5)) {
      step.options.subresource = "scale";
      step.body = {{"spec", {{"replicas", 1 + pick(3)}}}};
      step.uid = Claim::kNone;
    }
  }

  void json(Step& step) {
    step.verb = Verb::kPatch;
    step.patch = PatchType::kJson;
    step.version = claim(3);
    step.body = Json::array();
    const std::string key = "/metadata/labels/" + std::string(chance(2) ? "app" : "tier");
    switch (pick(5)) {
      case 0:
        step.body.push_back({{"op", "add"}, {"path", key}, {"value", digit()}});
        break;
      case 1:
        step.body.push_back({{"op", "remove"}, {"path", key}});
        break;
      case 2:
        step.body.push_back({{"op", "replace"}, {"path", key}, {"value", digit()}});
        break;
      case 3:
        step.body.push_back({{"op", "test"}, {"path", key}, {"value", digit()}});
        step.body.push_back(
            {{"op", "add"}, {"path", "/metadata/annotations"}, {"value", {{"note", digit()}}}});
        break;
      default:
        step.body.push_back(
            {{"op", "add"},
             {"path", "/metadata/finalizers"},
             {"value", chance(2) ? Json::array() : Json{"example.com/" + digit()}}});
        break;
    }
  }

  void apply(Step& step) {
    step.verb = Verb::kPatch;
    step.patch = PatchType::kApply;
    step.options.force = chance(2);
    step.version = claim(8);
    step.uid = claim(5);
    step.body = part(step, /*whole=*/true);
    // None of our programs applies these, and who owns what they become is a riddle: stringData is
    // stored as data, and the finalizer that a volume is created with is nobody's.
    step.body.erase("stringData");
    if (step.type == kube::kPersistentVolumeClaims) step.body["metadata"].erase("finalizers");
    if (step.type == kube::kPostgresClusters && chance(3)) status(step);
    if (chance(25)) step.options.field_manager.clear();
  }

  void remove(Step& step) {
    step.verb = Verb::kDelete;
    step.uid = claim(2);
    step.version = claim(4);
    step.options = {};
  }

  void status(Step& step) {
    step.options.subresource = "status";
    Json conditions = Json::array();
    for (const char* type : {"Ready", "Degraded"}) {
      if (chance(2)) continue;
      conditions.push_back({{"type", type},
                            {"status", chance(2) ? "True" : "False"},
                            {"reason", "Because"},
                            {"message", digit()},
                            {"lastTransitionTime", "2026-01-31T12:00:00Z"}});
    }
    step.body["status"] = {{"phase", "Phase" + digit()}};
    // Of a condition that two write by different verbs a part is left when one gives it up, which
    // the real one refuses: the one in memory knows no schema.
    const bool applies = step.verb == Verb::kPatch && step.patch == PatchType::kApply;
    if (applies && !conditions.empty()) step.body["status"]["conditions"] = conditions;
  }

  Json metadata() {
    Json result = Json::object();
    if (chance(2)) result["labels"]["app"] = digit();
    if (chance(3)) result["labels"]["tier"] = digit();
    if (chance(4)) result["annotations"]["note"] = digit();
    if (chance(9)) result["finalizers"] = {"example.com/" + digit()};
    if (chance(8)) {
      result["ownerReferences"] = Json::array({{{"apiVersion", "db.example.com/v1"},
                                                {"kind", "PostgresCluster"},
                                                {"name", "a"},
                                                {"uid", "$uid"}}});
    }
    return result;
  }

  Json whole(const Step& step) { return part(step, /*whole=*/true); }

  // A valid object where it is whole, a valid change of one where it is not.
  Json part(const Step& step, bool whole) {
    Json body = {{"metadata", metadata()}};
    const kube::ResourceType& type = step.type;
    if (type == kube::kConfigMaps) data(body, {"x", "y", "z"});
    if (type == kube::kSecrets) secret(body);
    if (type == kube::kServices) service(body, whole);
    if (type == kube::kStatefulSets) stateful_set(body, whole);
    if (type == kube::kLeases) lease(body);
    if (type == kube::kPersistentVolumeClaims && whole) volume_claim(body);
    if (type == kube::kPodDisruptionBudgets) budget(body);
    if (type == kube::kPostgresClusters) cluster(body, whole);
    return body;
  }

  void data(Json& body, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (chance(2)) body["data"][key] = digit();
    }
  }

  void secret(Json& body) {
    for (const char* key : {"x", "y"}) {
      if (chance(2)) body["data"][key] = chance(2) ? "MQ==" : "Mg==";
    }
    if (chance(4)) body["stringData"]["z"] = digit();
  }

  void service(Json& body, bool whole) {
    if (!whole && chance(2)) return;
    Json ports = Json::array({{{"name", "p80"}, {"port", 80}}});
    const int second = 81 + pick(2);
    if (chance(2)) ports.push_back({{"name", "p" + std::to_string(second)}, {"port", second}});
    if (chance(3)) ports[0]["targetPort"] = 8080 + pick(2);
    if (chance(3)) ports[0]["protocol"] = "TCP";
    body["spec"]["ports"] = ports;
    if (chance(2)) body["spec"]["selector"] = {{"app", digit()}};
  }

  void stateful_set(Json& body, bool whole) {
    if (chance(2)) body["spec"]["replicas"] = 1 + pick(3);
    if (!whole) return;
    body["spec"]["serviceName"] = "pods";
    body["spec"]["selector"] = {{"matchLabels", {{"set", "s"}}}};
    Json container = {{"name", "main"}, {"image", "image:" + digit()}};
    Json env = Json::array();
    for (const char* name : {"ONE", "TWO"}) {
      if (chance(2)) env.push_back({{"name", name}, {"value", digit()}});
    }
    if (!env.empty()) container["env"] = env;
    if (chance(2)) container["ports"] = Json::array({{{"containerPort", 5432}}});
    Json containers = Json::array({container});
    if (chance(2)) containers.push_back({{"name", "side"}, {"image", "image:" + digit()}});
    body["spec"]["template"] = {{"metadata", {{"labels", {{"set", "s"}}}}},
                                {"spec", {{"containers", containers}}}};
    if (chance(3)) body["spec"]["template"]["metadata"]["labels"]["more"] = digit();
  }

  void lease(Json& body) {
    if (chance(2)) body["spec"]["holderIdentity"] = "holder-" + digit();
    if (chance(2)) body["spec"]["leaseDurationSeconds"] = 10 + pick(3);
    if (chance(3)) body["spec"]["leaseTransitions"] = pick(3);
  }

  void volume_claim(Json& body) {
    body["spec"] = {{"accessModes", {"ReadWriteOnce"}},
                    {"resources", {{"requests", {{"storage", "1Gi"}}}}}};
  }

  void budget(Json& body) {
    body["spec"] = {{"minAvailable", 1 + pick(2)}, {"selector", {{"matchLabels", {{"a", "b"}}}}}};
  }

  void cluster(Json& body, bool whole) {
    if (whole) body["spec"]["version"] = "16";
    if (chance(2)) body["spec"]["replicas"] = 1 + pick(3);
    if (chance(3)) body["spec"]["resources"]["requests"]["cpu"] = digit();
    if (chance(3)) body["spec"]["postgresql"]["parameters"]["work_mem"] = digit() + "MB";
    if (chance(5)) body["spec"]["tls"]["mode"] = chance(2) ? "Prefer" : "Require";
  }

  std::minstd_rand random_;
};

const char* text(Claim claim) {
  const char* const texts[] = {"", "current", "old", "wrong"};
  return texts[static_cast<int>(claim)];
}

}  // namespace

std::string Step::describe() const {
  const char* const verbs[] = {"get", "list", "create", "replace", "patch", "delete"};
  const char* const patches[] = {"json", "merge", "apply"};
  std::string line = verbs[static_cast<int>(verb)];
  if (verb == Verb::kPatch) line += std::string(" ") + patches[static_cast<int>(patch)];
  line += " " + std::string(type.plural) + "/" + name;
  if (!options.subresource.empty()) line += "/" + options.subresource;
  if (version != Claim::kNone) line += std::string(" version=") + text(version);
  if (uid != Claim::kNone) line += std::string(" uid=") + text(uid);
  if (!options.field_manager.empty()) line += " as " + options.field_manager;
  if (options.force) line += " force";
  if (options.dry_run) line += " dry-run";
  if (!selector.empty()) line += " where " + selector;
  return body.empty() ? line : line + " " + body.dump();
}

std::vector<Step> programme(unsigned seed, int steps) {
  Author author(seed);
  std::vector<Step> result;
  for (int i = 0; i < steps; ++i) result.push_back(author.step());
  return result;
}

const std::vector<kube::ResourceType>& types() {
  static const std::vector<kube::ResourceType> all = {
      kube::kConfigMaps,           kube::kSecrets,         kube::kServices,
      kube::kStatefulSets,         kube::kLeases,          kube::kPersistentVolumeClaims,
      kube::kPodDisruptionBudgets, kube::kPostgresClusters};
  return all;
}

}  // namespace pgc::contract
