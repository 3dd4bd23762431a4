// What an operator's cache shows: the past of an API server, for each resource type as far as its
// events have been delivered. One thread.
#pragma once

#include <map>

#include "tests/support/api_server.h"

namespace pgc::test {

class View final : public kube::Reader {
 public:
  // `server` must outlive it.
  explicit View(ApiServer& server) : server_(server) {}

  kube::Result<kube::Object> get(const kube::ObjectRef& ref) override;
  kube::Result<kube::ObjectList> list(const kube::ResourceType& type,
                                      const kube::ListOptions& options) override;

  // Everything that has happened is seen.
  void catch_up();
  // One more event of the type is seen; false where there is none.
  bool step(const kube::ResourceType& type);
  // Everything is seen as it was at that version, as from an API server that is cut off.
  void go_back(std::int64_t version);

 private:
  void take(const Happening& happening);

  ApiServer& server_;
  std::map<kube::ObjectRef, kube::Object> objects_;
  std::int64_t seen_ = 0;                               // of all types
  std::map<kube::ResourceType, std::int64_t> further_;  // of types that are ahead of that
};

}  // namespace pgc::test
