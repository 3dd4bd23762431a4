#include "tests/fuzz/object.h"

#include <string>

#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/yaml.h"

namespace pgc::fuzz {
namespace {

constexpr int kDeepest = 8;

// The schema of the first version, as JSON.
const Json& root_schema() {
  static const Json schema = schema::parse_yaml(schema::postgrescluster_crd())
                                 .value()
                                 .front()
                                 .value["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
  return schema;
}

std::string text(FuzzedDataProvider& bytes) {
  static const std::string kTexts[] = {"",
                                       "16",
                                       "17",
                                       "1",
                                       "10Gi",
                                       "500m",
                                       "1.5Gi",
                                       "-1",
                                       "8GB",
                                       "128MB",
                                       "16kB",
                                       "on",
                                       "off",
                                       "5min",
                                       "my-db",
                                       "a\nb",
                                       "a'b",
                                       "\"",
                                       "2Gi",
                                       "0",
                                       "100m",
                                       "1e3",
                                       "9223372036854775807",
                                       "replica",
                                       "logical",
                                       "minimal"};
  if (bytes.ConsumeBool()) return bytes.PickValueInArray(kTexts);
  return bytes.ConsumeRandomLengthString(40);
}

std::string key(FuzzedDataProvider& bytes) {
  static const std::string kKeys[] = {"cpu",
                                      "memory",
                                      "shared_buffers",
                                      "max_connections",
                                      "wal_level",
                                      "work_mem",
                                      "max_wal_senders",
                                      "ephemeral-storage",
                                      "hugepages-2Mi",
                                      "shared_bufers",
                                      "archive_mode",
                                      "log_min_duration_statement",
                                      "max_wal_size",
                                      "min_wal_size",
                                      "port"};
  if (bytes.ConsumeBool()) return bytes.PickValueInArray(kKeys);
  return bytes.ConsumeRandomLengthString(16);
}

Json anything(FuzzedDataProvider& bytes, int depth) {
  switch (bytes.ConsumeIntegralInRange(0, depth < kDeepest ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return bytes.ConsumeBool();
    case 2:
      return bytes.ConsumeIntegral<std::int64_t>();
    case 3:
      return bytes.ConsumeIntegralInRange<int>(-2, 20);
    case 4:
      return bytes.ConsumeFloatingPoint<double>();
    case 5:
      return text(bytes);
    case 6: {
      Json list = Json::array();
      while (bytes.ConsumeBool() && list.size() < 8) list.push_back(anything(bytes, depth + 1));
      return list;
    }
    default: {
      Json object = Json::object();
      while (bytes.ConsumeBool() && object.size() < 8) {
        object[key(bytes)] = anything(bytes, depth + 1);
      }
      return object;
    }
  }
}

Json value(const Json& node, FuzzedDataProvider& bytes, int depth);

Json fields(const Json& node, FuzzedDataProvider& bytes, int depth) {
  Json object = Json::object();
  if (node.contains("properties")) {
    for (const auto& [name, child] : node["properties"].items()) {
      if (bytes.ConsumeBool()) object[name] = value(child, bytes, depth + 1);
    }
  }
  const auto others = node.find("additionalProperties");
  const bool typed = others != node.end() && others->is_object();
  while (bytes.ConsumeIntegralInRange(0, typed ? 1 : 15) == 1 && object.size() < 24) {
    object[key(bytes)] = typed ? value(*others, bytes, depth + 1) : anything(bytes, depth + 1);
  }
  return object;
}

Json scalar(const Json& node, FuzzedDataProvider& bytes) {
  const std::string type = node.value("type", "string");
  if (type == "integer") return bytes.ConsumeIntegralInRange<std::int64_t>(-1, 70);
  if (type == "number") return bytes.ConsumeFloatingPointInRange<double>(-1, 100);
  if (type == "boolean") return bytes.ConsumeBool();
  return text(bytes);
}

// What the node asks for, more or less; one time in 16 anything at all.
Json value(const Json& node, FuzzedDataProvider& bytes, int depth) {
  if (depth > kDeepest || bytes.ConsumeIntegralInRange(0, 15) == 15) return anything(bytes, depth);
  if (node.contains("enum")) {
    const Json& choice = node["enum"];
    return choice[bytes.ConsumeIntegralInRange<std::size_t>(0, choice.size() - 1)];
  }
  const std::string type = node.value("type", "");
  if (type == "object") return fields(node, bytes, depth);
  if (type != "array") return scalar(node, bytes);
  Json list = Json::array();
  while (bytes.ConsumeBool() && list.size() < 6) {
    list.push_back(value(node.value("items", Json::object()), bytes, depth + 1));
  }
  return list;
}

}  // namespace

Json cluster_from(FuzzedDataProvider& bytes) {
  Json object = {{"apiVersion", "db.example.com/v1"},
                 {"kind", "PostgresCluster"},
                 {"metadata", {{"name", "my-db"}, {"namespace", "shop"}}}};
  const Json& parts = root_schema()["properties"];
  object["spec"] = value(parts["spec"], bytes, 1);
  if (object["spec"].is_object() && !object["spec"].contains("version")) {
    object["spec"]["version"] = "16";
  }
  if (bytes.ConsumeBool()) object["metadata"]["labels"] = anything(bytes, 2);
  if (bytes.ConsumeBool()) object["status"] = value(parts["status"], bytes, 1);
  return object;
}

Json changed(const Json& base, FuzzedDataProvider& bytes) {
  Json object = base;
  if (!object["spec"].is_object()) return object;
  const Json& properties = root_schema()["properties"]["spec"]["properties"];
  for (const auto& [name, child] : properties.items()) {
    const int what = bytes.ConsumeIntegralInRange(0, 3);
    if (what == 1) object["spec"].erase(name);
    if (what == 2) object["spec"][name] = value(child, bytes, 2);
  }
  return object;
}

Json as_it_arrives(const Json& object) {
  return Json::parse(object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace pgc::fuzz
