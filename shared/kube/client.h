// The API of Kubernetes as narrow interfaces. Take the narrowest that does the job.
//
// All implementations may be used from several threads at once. Nothing is retried here: a caller
// that wants to try again looks at Error::retryable().
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "shared/json/shape.h"
#include "shared/kube/error.h"
#include "shared/kube/object.h"
#include "shared/kube/table.h"

namespace pgc::kube {

struct ListOptions {
  std::string ns = {};              // empty: all namespaces
  std::string label_selector = {};  // "db.example.com/cluster=my-db"
  std::string field_selector = {};
  // Members of the objects that are of interest, others are not read; it must outlive the call.
  // Null: all.
  const json::Shape* keep = nullptr;
  // For a watch without a resourceVersion: what is there comes first, as kAdded, then a kBookmark
  // with the annotation "k8s.io/initial-events-end". A server that cannot do it answers kInvalid.
  // https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
  bool initial_events = false;
};

struct ObjectList {
  std::vector<Object> items;
  std::string resource_version;  // a watch goes on from here
};

// Objects come without metadata.managedFields, half of their text, but to who wants them by `keep`.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual Result<Object> get(const ObjectRef& ref) = 0;
  virtual Result<ObjectList> list(const ResourceType& type, const ListOptions& options) = 0;
};

enum class PatchType { kJson, kMerge, kApply };

struct WriteOptions {
  std::string field_manager = {};     // required for kApply
  std::string subresource = {};       // "status", "scale"
  bool force = false;                 // kApply: take fields from other managers
  bool dry_run = false;               // dryRun=All
  std::string field_validation = {};  // "Strict", "Warn", "Ignore"; empty: the server's default
  // Members of the answered object that are of interest, as in ListOptions; `kind` must be one.
  const json::Shape* keep = nullptr;
};

// A delete goes through only while the object still is this one. Empty fields are not checked.
struct Preconditions {
  std::string uid = {};
  std::string resource_version = {};
};

class Writer {
 public:
  virtual ~Writer() = default;
  virtual Result<Object> create(const ResourceType& type, const std::string& ns,
                                const Object& object, const WriteOptions& options) = 0;
  // PUT. The object must carry metadata.resourceVersion, so that a lost race is a kConflict.
  virtual Result<Object> replace(const ObjectRef& ref, const Object& object,
                                 const WriteOptions& options) = 0;
  virtual Result<Object> patch(const ObjectRef& ref, PatchType type, const Json& body,
                               const WriteOptions& options) = 0;
  // Background propagation.
  virtual Result<void> remove(const ObjectRef& ref, const Preconditions& preconditions) = 0;
};

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark };

struct WatchEvent {
  WatchEventType type;
  Object object;
};

class Watcher {
 public:
  virtual ~Watcher() = default;
  // Delivers what happens after `resource_version`, in order, from the calling thread. Returns when
  // the server ends the stream (that is normal, watch again from the last resourceVersion seen) or
  // `stop` is requested; kGone means list again.
  virtual Result<void> watch(const ResourceType& type, const ListOptions& options,
                             const std::string& resource_version,
                             const std::function<void(const WatchEvent&)>& deliver,
                             std::stop_token stop) = 0;
};

// What is for people's eyes. A client without it answers 501.
class TableReader {
 public:
  virtual ~TableReader() = default;
  // All objects that are selected, in the columns that the server has for their type.
  virtual Result<Table> table(const ResourceType& type, const ListOptions& options);
  virtual Result<Table> table(const ObjectRef& ref);
};

class Client : public Reader, public Writer, public Watcher, public TableReader {};

}  // namespace pgc::kube
