// The objects in files of manifests, as kubectl's -f takes them: files, folders, standard input.
#pragma once

#include <expected>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "shared/schema/structural/yaml.h"

namespace pgc::plugin {

// One object. Of a List the items, each an object of its own.
struct Manifest {
  std::string file;  // as messages name it; "standard input" for -
  schema::Json value;
  std::vector<schema::DuplicateField> duplicates;
  std::shared_ptr<const schema::YamlLines> lines;
  std::string prefix;  // of its fields in `lines`: "items[2]." in a List, else empty

  int line() const;  // where it begins
  int line_of(const std::string& field) const;
};

// A file that cannot be read or parsed. `line` is 0 where it is not known.
struct Unreadable {
  std::string file;
  int line = 0;
  std::string message;
};

using ManifestsOr = std::expected<std::vector<Manifest>, Unreadable>;

struct ManifestOptions {
  bool recursive = false;  // also the folders inside a folder
};

// The files behind one -f: itself, or what a folder holds with the ending .yaml, .yml or .json, by
// name. Hidden files and folders are left out.
std::expected<std::vector<std::string>, Unreadable> files_behind(const std::string& name,
                                                                 const ManifestOptions& options);

// Reads one file, "-" from `in`.
ManifestsOr read_manifests(const std::string& file, std::istream& in);

}  // namespace pgc::plugin
