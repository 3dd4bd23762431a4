#include "plugin/doctor/sightings.h"

#include <nlohmann/json.hpp>

namespace pgc::plugin {
namespace {

using kube::Json;
using kube::ResourceType;

constexpr const char* kSystem = "pgc-system";
constexpr const char* kWebhook = "pgc-webhook";
constexpr ResourceType kCrds{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                             "CustomResourceDefinition", false};
constexpr ResourceType kDeployments{"apps", "v1", "deployments", "Deployment"};
constexpr ResourceType kEndpointSlices{"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice"};
constexpr ResourceType kPolicies{"admissionregistration.k8s.io", "v1",
                                 "validatingadmissionpolicies", "ValidatingAdmissionPolicy", false};
constexpr ResourceType kBindings{"admissionregistration.k8s.io", "v1",
                                 "validatingadmissionpolicybindings",
                                 "ValidatingAdmissionPolicyBinding", false};
constexpr const char* kDeletionPolicy = "pgc-deletion-protection";

// The first major that the CRD of the cluster offers, which may be older or newer than this
// program.
std::string offered_version(const kube::Result<kube::Object>& crd) {
  const Json::json_pointer first(
      "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/version/enum/0");
  if (!crd || !crd->json().contains(first)) return "17";
  const Json& version = crd->json().at(first);
  return version.is_string() ? version.get<std::string>() : "17";
}

kube::Result<kube::Object> try_to_create(const std::string& ns, const Json& spec,
                                         kube::Client& client) {
  const Json object{{"apiVersion", kube::kPostgresClusters.api_version()},
                    {"kind", kube::kPostgresClusters.kind},
                    {"metadata", {{"generateName", "pgc-doctor-"}, {"namespace", ns}}},
                    {"spec", spec}};
  return client.create(kube::kPostgresClusters, ns, kube::Object(object), {.dry_run = true});
}

}  // namespace

Sightings look(const std::string& ns, kube::Client& client) {
  const auto get = [&](const ResourceType& type, const char* where, const char* name) {
    return client.get({type, where, name});
  };
  auto crd = get(kCrds, "", "postgresclusters.db.example.com");
  const std::string version = offered_version(crd);
  const std::string of_webhook = std::string("app.kubernetes.io/name=") + kWebhook;
  const std::string of_service = std::string("kubernetes.io/service-name=") + kWebhook;
  return {
      .crd = std::move(crd),
      .mutating = get(kube::kMutatingWebhooks, "", kWebhook),
      .validating = get(kube::kValidatingWebhooks, "", kWebhook),
      .service = get(kube::kServices, kSystem, kWebhook),
      .endpoints = client.list(kEndpointSlices, {.ns = kSystem, .label_selector = of_service}),
      .webhook = get(kDeployments, kSystem, kWebhook),
      .pods = client.list(kube::kPods, {.ns = kSystem, .label_selector = of_webhook}),
      .certificate = get(kube::kSecrets, kSystem, "pgc-webhook-tls"),
      .good = try_to_create(ns, {{"version", version}}, client),
      .bad = try_to_create(
          ns, {{"version", version}, {"postgresql", {{"parameters", {{"port", "1"}}}}}}, client),
      .deletion_policy = get(kPolicies, "", kDeletionPolicy),
      .deletion_binding = get(kBindings, "", kDeletionPolicy),
      .operator_ = get(kDeployments, kSystem, "pgc-operator"),
      .lease = get(kube::kLeases, kSystem, "pgc-operator"),
  };
}

}  // namespace pgc::plugin
