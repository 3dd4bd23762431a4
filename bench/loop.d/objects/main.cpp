// Prints what pgc-operator would write for one new cluster, as JSON: {"apply": [...], "secrets":
// [...]}. The operator that bench/loop compares with writes the same objects under other names.
#include <iostream>
#include <nlohmann/json.hpp>

#include "shared/kube/object.h"
#include "shared/reconcile/names.h"
#include "shared/reconcile/plan.h"
#include "shared/schema/structural/yaml.h"

namespace {

using pgc::kube::Json;
namespace reconcile = pgc::reconcile;

// The words that stand for a cluster's own name, namespace and UID.
Json cluster(const std::string& spec) {
  return {{"apiVersion", "db.example.com/v1"},
          {"kind", "PostgresCluster"},
          {"metadata",
           {{"name", "cluster-name"},
            {"namespace", "cluster-namespace"},
            {"uid", "cluster-uid"},
            {"generation", 1},
            {"finalizers", {reconcile::kFinalizer}}}},
          {"spec", pgc::schema::parse_yaml(spec).value().at(0).value}};
}

// Without what holds for the creation alone: the other operator applies them again and again.
Json template_of(const reconcile::Apply& apply) {
  Json object = apply.object.json();
  object["metadata"].erase("resourceVersion");
  return object;
}

Json objects_of(const reconcile::Plan& plan) {
  Json result = {{"apply", Json::array()}, {"secrets", Json::array()}};
  for (const reconcile::Action& action : plan.actions) {
    if (const auto* apply = std::get_if<reconcile::Apply>(&action)) {
      result["apply"].push_back(template_of(*apply));
    } else if (const auto* secret = std::get_if<reconcile::GeneratePassword>(&action)) {
      result["secrets"].push_back(secret->skeleton.json());
    } else {
      throw std::runtime_error("the comparison does not know " + reconcile::describe(action));
    }
  }
  return result;
}

int run(const std::string& spec) {
  const reconcile::Settings settings{
      .images = {{16, {.image = "registry.example.com/pgc/postgres:v0.1.0", .tls = false}}},
      .agent_image = "registry.example.com/pgc/pgc:v0.1.0",
      .tls = pgc::schema::TlsMode::kPrefer,
      .storage_class = {}};
  reconcile::Observed observed;
  observed.resource = pgc::kube::Object(cluster(spec));
  observed.cluster = pgc::schema::values_of(observed.resource.json());
  std::cout << objects_of(reconcile::plan(observed, settings, {})).dump(1) << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "{replicas: 3, version: '16', storage: {size: 10Gi}}");
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}
