// What the in-memory API server knows of the resource types that our programs use: how each one
// behaves when it is written, and which of its lists and maps are merged by server-side apply.
//
// All of it was read off a real API server; tests/contract holds it to that.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/kube/object.h"

namespace pgc::test {

struct ApiType {
  kube::ResourceType type;
  bool counts_generation = false;
  bool has_status = false;        // writes of the object leave the status alone, and the other way
  bool custom = false;            // of a CRD: a write of the status changes nothing else
  bool creates_on_put = false;    // PUT of what is not there creates it
  bool needs_version = false;     // PUT must name a resourceVersion
  bool scales = false;            // has a scale subresource
  std::string_view protection{};  // the finalizer that it is created with
};

// Null where the server does not know the type.
const ApiType* find_api_type(const kube::ResourceType& type);

enum class Merge {
  kDeep,    // object: member by member
  kWhole,   // replaced as one, as all lists are that are not named
  kSet,     // list of scalars, each an element of its own
  kByKeys,  // list of objects, each known by some of its members
};

struct ListKey {
  std::string_view name;
  std::string_view otherwise{};  // its value where it is left out
};

struct Structure {
  Merge merge = Merge::kDeep;
  std::vector<ListKey> keys = {};
};

// Of the object or list at a path such as "spec.containers[].env".
const Structure& structure_at(std::string_view path, bool is_list);

}  // namespace pgc::test
