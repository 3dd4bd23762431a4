// Reads one PostgresCluster and everything that belongs to it into the input of the plan.
//
// Either the whole observation or an error: what could not be read is never taken for absent.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "shared/kube/client.h"
#include "shared/reconcile/observed.h"

namespace pgc::observe {

// The resource types that are observed by the cluster's labels, in no order. Secrets are not: they
// are read one by one, by name.
const std::vector<kube::ResourceType>& child_types();

// What the plan reads, or compares with what it wants, of an object of one of these types or of the
// PostgresCluster itself; the whole document for any other type.
const json::Shape& shape_of(const kube::ResourceType& type);

// Why a cluster can't be planned for: gone, unreadable, or an object that breaks the rules, as one
// that was stored before a rule came.
struct Refusal {
  std::optional<kube::Error> error;           // a read failed
  std::optional<reconcile::Observed> broken;  // only `resource` and the name in `cluster` are set
  std::string message;                        // what is wrong with it
};

// `objects` answers for everything but Secrets, `secrets` for them.
std::expected<reconcile::Observed, Refusal> observe(kube::Reader& objects, kube::Reader& secrets,
                                                    const std::string& ns, const std::string& name);

}  // namespace pgc::observe
