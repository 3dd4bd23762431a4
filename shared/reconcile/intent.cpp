#include "shared/reconcile/intent.h"

#include <array>
#include <nlohmann/json.hpp>

#include "shared/reconcile/fingerprint.h"
#include "shared/reconcile/names.h"
#include "shared/schema/quantity.h"

namespace pgc::reconcile {
namespace {

kube::Json owner_reference(const Observed& observed) {
  return {{"apiVersion", kube::kPostgresClusters.api_version()},
          {"kind", kube::kPostgresClusters.kind},
          {"name", observed.cluster.name},
          {"uid", observed.cluster.uid},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

using Difference = std::optional<std::string>;

Difference below(const std::string& key, Difference difference) {
  if (difference) *difference = "/" + key + *difference;
  return difference;
}

// The API server keeps it whole, as one value of one owner (x-kubernetes-map-type: atomic): with
// one label more it selects something else, and ours is the say.
bool one_value(const std::string& key) {
  return key == "selector" || key == "labelSelector";
}

Difference difference_of_objects(const kube::Json& live, const kube::Json& wanted) {
  if (!live.is_object()) return "";
  for (const auto& [key, value] : wanted.items()) {
    const auto found = live.find(key);
    if (found == live.end() || (one_value(key) && *found != value)) return "/" + key;
    if (auto difference = first_difference(*found, value)) return below(key, difference);
  }
  return std::nullopt;
}

Difference difference_of_lists(const kube::Json& live, const kube::Json& wanted) {
  if (!live.is_array() || live.size() != wanted.size()) return "";
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (auto difference = first_difference(live[i], wanted[i])) {
      return below(std::to_string(i), difference);
    }
  }
  return std::nullopt;
}

}  // namespace

kube::Json skeleton(const Observed& observed, const kube::ResourceType& type,
                    const std::string& name, Owned owned) {
  kube::Json metadata = {{"name", name},
                         {"namespace", observed.cluster.ns},
                         {"labels", Names{observed.cluster.name}.labels()}};
  if (owned == Owned::kYes) {
    metadata["ownerReferences"] = kube::Json::array({owner_reference(observed)});
  }
  return {{"apiVersion", type.api_version()}, {"kind", type.kind}, {"metadata", metadata}};
}

bool contains(const kube::Json& live, const kube::Json& wanted) {
  return !first_difference(live, wanted);
}

std::optional<std::string> first_difference(const kube::Json& live, const kube::Json& wanted) {
  if (wanted.is_object()) return difference_of_objects(live, wanted);
  if (wanted.is_array()) return difference_of_lists(live, wanted);
  return live == wanted ? std::nullopt : Difference("");
}

void apply(const Observed& observed, const kube::ResourceType& type, kube::Json wanted, Plan& plan,
           const kube::Json* settled) {
  const std::string name = wanted["metadata"]["name"];
  const kube::ObjectRef ref{type, observed.cluster.ns, name};
  plan.wanted.insert(ref);
  wanted["metadata"]["annotations"][std::string(kIntentAnnotation)] = fingerprint(wanted);
  if (settled != nullptr) wanted.merge_patch(*settled);
  const kube::Object* live = observed.find(type, name);
  const Difference difference =
      live == nullptr ? Difference("") : first_difference(live->json(), wanted);
  if (!difference) return;
  const std::string uid(live == nullptr ? "" : live->uid());
  // The API server refuses an apply whose UID is not the object's.
  if (live == nullptr) {
    wanted["metadata"]["resourceVersion"] = kOfNothing;
  } else {
    wanted["metadata"]["uid"] = uid;
  }
  plan.actions.push_back(
      Apply{.ref = ref,
            .object = kube::Object(std::move(wanted)),
            .uid = uid,
            .why = live == nullptr ? "it is not there" : *difference + " differs"});
}

Delete removal_of(const kube::ResourceType& type, const kube::Object& object, std::string why) {
  return {.ref = {type, std::string(object.ns()), std::string(object.name())},
          .uid = std::string(object.uid()),
          .resource_version = {},
          .why = std::move(why)};
}

Delete removal_as_seen(const kube::ResourceType& type, const kube::Object& object,
                       std::string why) {
  Delete removal = removal_of(type, object, std::move(why));
  removal.resource_version = object.resource_version();
  return removal;
}

std::string stored_quantity(const std::string& text) {
  const auto quantity = schema::Quantity::parse(text);
  return quantity ? quantity->to_string() : text;
}

}  // namespace pgc::reconcile
