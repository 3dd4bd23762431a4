// An API server in memory, with as much of the real one as our programs can tell: UIDs,
// resourceVersions and generations, preconditions, finalizers, defaults, who owns which field,
// status and scale, watches of a history that can be compacted, and a garbage collector that runs
// when it is called. What it does not have it answers with 501.
//
// tests/contract holds it to the real one. Safe from several threads; a watch blocks its own only.
// Its parts: api_types, api_rules, api_defaults, api_fields, api_apply, api_history.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared/kube/client.h"
#include "tests/support/api_apply.h"
#include "tests/support/api_history.h"

namespace pgc::test {

struct ApiType;

class ApiServer : public kube::Client {
 public:
  kube::Result<kube::Object> get(const kube::ObjectRef& ref) override;
  kube::Result<kube::ObjectList> list(const kube::ResourceType& type,
                                      const kube::ListOptions& options) override;
  kube::Result<kube::Object> create(const kube::ResourceType& type, const std::string& ns,
                                    const kube::Object& object,
                                    const kube::WriteOptions& options) override;
  kube::Result<kube::Object> replace(const kube::ObjectRef& ref, const kube::Object& object,
                                     const kube::WriteOptions& options) override;
  kube::Result<kube::Object> patch(const kube::ObjectRef& ref, kube::PatchType type,
                                   const kube::Json& body,
                                   const kube::WriteOptions& options) override;
  kube::Result<void> remove(const kube::ObjectRef& ref,
                            const kube::Preconditions& preconditions) override;
  // `deliver` is called without a lock, so it may use the server.
  kube::Result<void> watch(const kube::ResourceType& type, const kube::ListOptions& options,
                           const std::string& resource_version,
                           const std::function<void(const kube::WatchEvent&)>& deliver,
                           std::stop_token stop) override;

  // For tests, past every check: what is there, and changes by somebody else.
  bool has(const kube::ObjectRef& ref);
  void put(const kube::ObjectRef& ref, kube::Json document);
  // Applies an RFC 7396 patch.
  void change(const kube::ObjectRef& ref, const kube::Json& merge);
  void erase(const kube::ObjectRef& ref);
  std::vector<kube::ObjectRef> refs();
  std::int64_t version();
  Managers managers(const kube::ObjectRef& ref);
  std::optional<Happening> happened_after(std::int64_t version);
  // Removes what belongs to owners that are gone. True where there was something.
  bool collect_garbage();

  // For tests of watches. Forgets what has happened so far: a watch from before is kGone.
  void compact();
  void send_bookmarks();  // to every watch that is open, after all that has happened
  void end_watches();     // as the real one does every few minutes
  int open_watches();
  // Those of them that have delivered all that has happened, and wait for more.
  int idle_watches();
  // False: a watch that asks for initial events is kInvalid, as of a server that cannot do it.
  void stream_lists(bool can);

  // The writes that changed something: "create secrets shop/my-db-app". Not for other threads.
  std::vector<std::string> writes;
  // Asked before each write; an error is the answer.
  std::function<std::optional<kube::Error>(const std::string& write)> fault;

 private:
  struct Stored {
    kube::Object object;
    Managers managers;
  };
  // One write on its way.
  struct Write {
    std::string verb;
    kube::ObjectRef ref;
    const ApiType& type;
    const kube::WriteOptions& options;
  };
  struct Cursor;

  std::optional<kube::Error> refused(const std::string& verb, const kube::ObjectRef& ref);
  static std::optional<kube::Error> uid_is_fixed(const Write& write, const kube::Object& live,
                                                 const kube::Json& document);
  kube::Result<kube::Object> insert(const Write& write, kube::Json document,
                                    std::optional<Managers> managers);
  kube::Result<kube::Object> update(const Write& write, const Stored& live, kube::Json document,
                                    std::optional<Managers> managers = std::nullopt);
  kube::Result<kube::Object> apply(const Write& write, const kube::Json& body);
  kube::Result<kube::Object> scale(const Write& write, const Stored& live, const kube::Json& scale);
  kube::Object commit(const std::string& verb, const kube::ObjectRef& ref, kube::Json document,
                      Managers managers);
  void happened(const kube::ObjectRef& ref, std::optional<kube::Object> before,
                std::optional<kube::Object> after);
  void put_document(const std::string& verb, const kube::ObjectRef& ref, kube::Json document);
  void end(const kube::ObjectRef& ref);
  kube::Result<Cursor> open(const kube::ResourceType& type, const kube::ListOptions& options,
                            const std::string& resource_version);
  bool has_news(const Cursor& cursor) const;
  kube::Result<std::vector<kube::WatchEvent>> next(const kube::ResourceType& type,
                                                   const kube::ListOptions& options, Cursor& cursor,
                                                   std::stop_token stop);

  std::recursive_mutex mutex_;
  std::condition_variable_any news_;
  // Guarded by mutex_.
  std::map<kube::ObjectRef, Stored> objects_;
  History history_;
  std::int64_t version_ = 1000;
  int bookmarks_ = 0;  // asked for so far
  int ends_ = 0;       // of all watches, so far
  int watches_ = 0;
  std::set<const Cursor*> waiting_;  // of watches that have delivered what they were handed
  bool streams_ = true;
};

}  // namespace pgc::test
