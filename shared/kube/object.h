// The vocabulary of the Kubernetes API as values: resource types, references to objects, objects.
//
// Pure: no I/O, no clock. An Object is an immutable handle on one JSON document; copies share the
// document, so it is cheap to copy and safe to read from several threads.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgc::kube {

using Json = nlohmann::json;

// A resource type as the paths of the API know it. The views must outlive it (they are literals).
struct ResourceType {
  std::string_view group;  // empty: the core group
  std::string_view version;
  std::string_view plural;
  std::string_view kind;
  bool namespaced = true;

  std::string api_version() const;  // "apps/v1", or "v1" for the core group
  auto operator<=>(const ResourceType&) const = default;
};

inline constexpr ResourceType kConfigMaps{"", "v1", "configmaps", "ConfigMap"};
inline constexpr ResourceType kPersistentVolumeClaims{"", "v1", "persistentvolumeclaims",
                                                      "PersistentVolumeClaim"};
inline constexpr ResourceType kPods{"", "v1", "pods", "Pod"};
inline constexpr ResourceType kSecrets{"", "v1", "secrets", "Secret"};
inline constexpr ResourceType kServiceAccounts{"", "v1", "serviceaccounts", "ServiceAccount"};
inline constexpr ResourceType kServices{"", "v1", "services", "Service"};
inline constexpr ResourceType kStatefulSets{"apps", "v1", "statefulsets", "StatefulSet"};
inline constexpr ResourceType kLeases{"coordination.k8s.io", "v1", "leases", "Lease"};
inline constexpr ResourceType kPodDisruptionBudgets{"policy", "v1", "poddisruptionbudgets",
                                                    "PodDisruptionBudget"};
inline constexpr ResourceType kRoles{"rbac.authorization.k8s.io", "v1", "roles", "Role"};
inline constexpr ResourceType kRoleBindings{"rbac.authorization.k8s.io", "v1", "rolebindings",
                                            "RoleBinding"};
inline constexpr ResourceType kEvents{"events.k8s.io", "v1", "events", "Event"};
inline constexpr ResourceType kMutatingWebhooks{"admissionregistration.k8s.io", "v1",
                                                "mutatingwebhookconfigurations",
                                                "MutatingWebhookConfiguration", false};
inline constexpr ResourceType kValidatingWebhooks{"admissionregistration.k8s.io", "v1",
                                                  "validatingwebhookconfigurations",
                                                  "ValidatingWebhookConfiguration", false};
inline constexpr ResourceType kPostgresClusters{"db.example.com", "v1", "postgresclusters",
                                                "PostgresCluster"};

// Names one object. `ns` is empty for cluster-scoped types.
struct ObjectRef {
  ResourceType type;
  std::string ns;
  std::string name;

  std::string to_string() const;  // "statefulsets.apps default/my-db-1", for messages
  auto operator<=>(const ObjectRef&) const = default;
};

class Object {
 public:
  Object();  // an empty JSON object
  explicit Object(Json document);
  // Parses text. A text that is no JSON object gives nothing.
  static std::optional<Object> parse(std::string_view text);

  const Json& json() const { return *document_; }

  // Each is empty where the field is absent or of another type.
  std::string_view name() const;
  std::string_view ns() const;
  std::string_view uid() const;
  std::string_view resource_version() const;
  std::string_view kind() const;
  std::string_view label(std::string_view key) const;
  std::string_view annotation(std::string_view key) const;
  std::int64_t generation() const;  // 0 where absent
  bool being_deleted() const;       // metadata.deletionTimestamp is set
  // UID of the owner that is the controller; empty where there is none.
  std::string_view controller_uid() const;

 private:
  std::shared_ptr<const Json> document_;
};

// The string at a path of keys ("status", "phase"), or "" where there is none. For reading foreign
// documents without caring which part of them is missing.
std::string_view string_at(const Json& document, std::initializer_list<std::string_view> path);
// The integer at a path of keys, or `otherwise`.
std::int64_t int_at(const Json& document, std::initializer_list<std::string_view> path,
                    std::int64_t otherwise = 0);
// The value at a path of keys, or null (never a dangling pointer: it points into `document`).
const Json* find_at(const Json& document, std::initializer_list<std::string_view> path);

}  // namespace pgc::kube
