// Fields of objects by their paths, as server-side apply counts them: which ones a document has,
// in which two documents differ, and two documents laid over each other. Pure.
//
// A path is written as the API server writes it: `.spec.ports[port=80,protocol="TCP"].name`. Only
// leaves are fields, and items of lists that are merged.
// https://github.com/kubernetes-sigs/structured-merge-diff
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "shared/kube/object.h"

namespace pgc::test {

using FieldSet = std::set<std::string, std::less<>>;

// Without what the API server keeps itself: name, uid, resourceVersion, …
FieldSet fields_of(const kube::Json& document);

struct Differences {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;
};
Differences differences(const kube::Json& before, const kube::Json& after);

// `config` laid over `live`: maps member by member, lists as their type says.
kube::Json merged(const kube::Json& live, const kube::Json& config);

// Takes the fields away, and what is empty because of that.
void take_away(kube::Json& document, const FieldSet& fields);

// True where one of the fields is `path` or lies below it.
bool at_or_below(const FieldSet& fields, const std::string& path);

}  // namespace pgc::test
