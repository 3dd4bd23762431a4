// Who owns which field, and server-side apply: pure functions of a live object, its managers, and
// what is applied. https://kubernetes.io/docs/reference/using-api/server-side-apply/
#pragma once

#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "shared/kube/error.h"
#include "tests/support/api_fields.h"

namespace pgc::test {

enum class Operation { kApply, kUpdate };

struct Manager {
  std::string name;
  Operation operation = Operation::kApply;
  std::string subresource = {};
  std::string api_version = {};

  auto operator<=>(const Manager&) const = default;
};

using Managers = std::map<Manager, FieldSet>;  // a manager without a field is not in it

struct Applied {
  kube::Json document;
  Managers managers;
};

// Fields that others have and that are wanted otherwise are a kConflict with a cause for each, or
// taken from them where `force` is set. What `who` applied before and no longer does goes, unless
// somebody else has it, too.
kube::Result<Applied> apply(const kube::Json& live, const Managers& managers,
                            const kube::Json& config, const Manager& who, bool force);

// What any other write makes of the managers.
void update_managers(Managers& managers, const kube::Json& before, const kube::Json& after,
                     const Manager& who);

}  // namespace pgc::test
