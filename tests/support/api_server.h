// An API server in memory, with as much of the real one as a controller can tell: UIDs,
// resourceVersions and generations, conflicts, finalizers, preconditions, ownership of applied
// fields, defaults, and a garbage collector that runs when it is called. It cannot watch.
//
// What the real one does is proven in tests/apiserver. Safe from several threads.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shared/kube/client.h"

namespace pgc::test {

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
  kube::Result<void> watch(const kube::ResourceType&, const kube::ListOptions&, const std::string&,
                           const std::function<void(const kube::WatchEvent&)>&,
                           std::stop_token) override;

  // For tests, past every check: what is there, and changes by somebody else.
  bool has(const kube::ObjectRef& ref);
  void put(const kube::ObjectRef& ref, kube::Json document);
  // Applies an RFC 7396 patch.
  void change(const kube::ObjectRef& ref, const kube::Json& merge);
  void erase(const kube::ObjectRef& ref);
  std::vector<kube::ObjectRef> refs();
  // Removes what belongs to a controller that is gone. True where there was something.
  bool collect_garbage();

  // The writes that changed something: "create secrets shop/my-db-app".
  std::vector<std::string> writes;
  // Asked before each write; an error is the answer.
  std::function<std::optional<kube::Error>(const std::string& write)> fault;

 private:
  struct Stored {
    kube::Object object;
    std::map<std::string, kube::Json> applied;  // by field manager
  };

  std::optional<kube::Error> refused(const std::string& verb, const kube::ObjectRef& ref);
  kube::Object commit(const std::string& verb, const kube::ObjectRef& ref, kube::Json document);
  kube::Result<kube::Object> apply(const kube::ObjectRef& ref, const kube::Json& body,
                                   const kube::WriteOptions& options);

  std::recursive_mutex mutex_;
  // Guarded by mutex_.
  std::map<kube::ObjectRef, Stored> objects_;
  std::int64_t version_ = 1000;
};

}  // namespace pgc::test
