// A CRD on both sides: compiled for the engine, installed on the API server, with stored objects to
// change.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shared/schema/structural/crd.h"
#include "tests/agreement/server.h"

namespace pgc::agreement {

using Json = nlohmann::json;

struct Resource {
  std::string file;  // where it comes from
  Json document;     // the CRD as it is installed
  schema::Crd crd;
  std::size_t version = 0;   // of crd.versions: the one that is stored
  bool is_ours = false;      // keeps its CEL
  std::vector<Json> stored;  // as the server gives them back

  const schema::CrdVersion& served() const { return crd.versions[version]; }
  const Json& open_api() const;
  Json head() const;  // apiVersion and kind
  std::string name() const;
  std::string path() const;  // of the collection
};

// The CRDs of a file (YAML, several documents) or of a folder's files. Of a CRD that is not ours
// only the stored version stays, without CEL and conversion. Ends the program where one cannot be
// read: then we refuse what the server takes.
std::vector<Resource> load_resources(const std::string& path, bool ours);

// Puts the CRD up with no schema at all, stores what may go wrong later, then lets the schema in
// force: that is how objects come about that are older than their schema.
void install(Server& server, Resource& resource, const std::vector<Json>& objects);

// The namespace of everything.
inline constexpr const char* kNamespace = "agreement";
void make_namespace(Server& server);

}  // namespace pgc::agreement
