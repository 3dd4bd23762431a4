// Objects of our own, from what we want of them to whether they must be written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/reconcile/observed.h"
#include "shared/reconcile/plan.h"

namespace pgc::reconcile {

enum class Owned { kYes, kNo };  // does it go away with the PostgresCluster?

// apiVersion, kind and metadata of an object of the cluster: name, namespace, labels, and the owner
// reference that lets the garbage collector remove it.
kube::Json skeleton(const Observed& observed, const kube::ResourceType& type,
                    const std::string& name, Owned owned);

// True where every field of `wanted` stands in `live` with the same value. Fields that only `live`
// has belong to others (defaults of the API server, other managers). Lists must have equal lengths,
// and selectors be equal.
bool contains(const kube::Json& live, const kube::Json& wanted);
// The path of the first field where it is not so, "/spec/ports/0/port"; nothing where all is well.
std::optional<std::string> first_difference(const kube::Json& live, const kube::Json& wanted);

// Says that the object is wanted, and appends an Apply, unless it stands as wanted: nothing that we
// wanted has been dropped since (an annotation carries the hash of our last intent), and nothing
// has been changed by others. `settled` is stated as well (a merge patch of `wanted`), but is no
// part of the intent: what is decided when the object is made, by us or by the API server's
// default, and never changes.
void apply(const Observed& observed, const kube::ResourceType& type, kube::Json wanted, Plan& plan,
           const kube::Json* settled = nullptr);

// The removal of an observed object: it goes through only while the object still is that one.
Delete removal_of(const kube::ResourceType& type, const kube::Object& object, std::string why);
// The same, while it still is in the very state that was observed.
Delete removal_as_seen(const kube::ResourceType& type, const kube::Object& object, std::string why);

// A quantity as the API server stores it ("1024Mi" is stored as "1Gi"), so that what we want is
// what we see.
std::string stored_quantity(const std::string& text);

}  // namespace pgc::reconcile
