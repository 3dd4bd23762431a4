#include "tests/agreement/resource.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "shared/schema/structural/yaml.h"

namespace pgc::agreement {
namespace {

constexpr const char* kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

[[noreturn]] void die(const std::string& text) {
  std::cerr << "error: " << text << "\n";
  std::exit(2);
}

std::string read(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) die(path + ": cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void drop_cel(Json& node) {
  if (node.is_object()) node.erase("x-kubernetes-validations");
  if (!node.is_structured()) return;
  for (Json& child : node) drop_cel(child);
}

// Another project's CRD, made to stand alone.
void make_plain(Json& document) {
  Json& spec = document["spec"];
  spec.erase("conversion");
  Json versions = Json::array();
  for (Json& version : spec["versions"]) {
    if (!version.value("storage", false)) continue;
    version["served"] = true;
    drop_cel(version["schema"]);
    versions.push_back(std::move(version));
  }
  spec["versions"] = std::move(versions);
  document.erase("status");
  const std::string name = document["metadata"]["name"];
  document["metadata"] = {{"name", name}};
  // Groups of Kubernetes itself are protected.
  document["metadata"]["annotations"]["api-approved.kubernetes.io"] = "unapproved, testing";
}

Resource make_resource(const std::string& file, Json document, bool ours) {
  if (!ours) make_plain(document);
  auto crd = schema::parse_crd(document);
  if (!crd) die(file + ": " + crd.error());
  std::size_t stored = 0;
  while (!crd->versions[stored].storage) ++stored;
  return {.file = file,
          .document = std::move(document),
          .crd = *std::move(crd),
          .version = stored,
          .is_ours = ours,
          .stored = {}};
}

void load_file(const std::string& path, bool ours, std::vector<Resource>& resources) {
  const auto documents = schema::parse_yaml(read(path));
  if (!documents) die(path + ": " + documents.error().message);
  for (const auto& document : *documents) {
    if (document.value.value("kind", "") != "CustomResourceDefinition") continue;
    resources.push_back(make_resource(path, document.value, ours));
  }
}

Json without_schema(Json document) {
  for (Json& version : document["spec"]["versions"]) {
    version["schema"]["openAPIV3Schema"] = {{"type", "object"},
                                            {"x-kubernetes-preserve-unknown-fields", true}};
    version.erase("subresources");
    version.erase("additionalPrinterColumns");
    version.erase("selectableFields");
  }
  return document;
}

void put_crd(Server& server, const Resource& resource, Json document) {
  const std::string path = std::string(kCrds) + "/" + resource.name();
  const Answer present = server.get(path);
  Answer answer;
  if (present.code == 404) {
    answer = server.post(kCrds, document.dump());
  } else {
    document["metadata"]["resourceVersion"] =
        Json::parse(present.body).at("metadata").at("resourceVersion");
    answer = server.put(path, document.dump());
  }
  if (!answer.ok()) die(resource.file + ": the API server says: " + answer.body);
}

void pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

// The server takes a new schema into force a little later. The sign: it calls a field unknown.
void wait_for(Server& server, const Resource& resource, bool with_schema) {
  Json probe = resource.head();
  probe["metadata"]["name"] = "probe";
  probe["unknown-to-every-schema"] = 1;
  const std::string path = resource.path() + "?dryRun=All&fieldValidation=Strict";
  for (int i = 0; i < 400; ++i) {
    const Answer answer = server.post(path, probe.dump());
    const bool unknown = answer.body.find("unknown-to-every-schema") != std::string::npos &&
                         answer.body.find("strict decoding error") != std::string::npos;
    if (answer.code != 404 && answer.code != 503 && unknown == with_schema) return;
    pause();
  }
  die(resource.name() + ": does not get into force");
}

}  // namespace

const Json& Resource::open_api() const {
  for (const Json& candidate : document.at("spec").at("versions")) {
    if (candidate.at("name") == served().name) return candidate.at("schema").at("openAPIV3Schema");
  }
  die(file + ": has no version " + served().name);
}

Json Resource::head() const {
  return {{"apiVersion", crd.group + "/" + served().name}, {"kind", crd.kind}};
}

std::string Resource::name() const {
  return crd.plural + "." + crd.group;
}

std::string Resource::path() const {
  const std::string scope = crd.namespaced ? std::string("/namespaces/") + kNamespace : "";
  return "/apis/" + crd.group + "/" + served().name + scope + "/" + crd.plural;
}

std::vector<Resource> load_resources(const std::string& path, bool ours) {
  std::vector<Resource> resources;
  if (!std::filesystem::is_directory(path)) {
    load_file(path, ours, resources);
    return resources;
  }
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) load_file(file, ours, resources);
  return resources;
}

void install(Server& server, Resource& resource, const std::vector<Json>& objects) {
  put_crd(server, resource, without_schema(resource.document));
  wait_for(server, resource, false);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    Json object = objects[i];
    object["metadata"] = {{"name", "stored-" + std::to_string(i)}};
    server.remove(resource.path() + "/stored-" + std::to_string(i));
    server.post(resource.path(), object.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  put_crd(server, resource, resource.document);
  wait_for(server, resource, true);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const Answer answer = server.get(resource.path() + "/stored-" + std::to_string(i));
    if (answer.ok()) resource.stored.push_back(Json::parse(answer.body));
  }
}

void make_namespace(Server& server) {
  const Json ns = {
      {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", kNamespace}}}};
  server.post("/api/v1/namespaces", ns.dump());
}

}  // namespace pgc::agreement
