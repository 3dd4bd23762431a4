// Passes every call on to another client: the base of those that change one thing about some calls.
// As safe from several threads as the other one.
#pragma once

#include "shared/kube/client.h"

namespace pgc::kube {

class ForwardingClient : public Client {
 public:
  // `client` must outlive it.
  explicit ForwardingClient(Client& client) : client_(client) {}

  Result<Object> get(const ObjectRef& ref) override { return client_.get(ref); }
  Result<ObjectList> list(const ResourceType& type, const ListOptions& options) override {
    return client_.list(type, options);
  }
  Result<Object> create(const ResourceType& type, const std::string& ns, const Object& object,
                        const WriteOptions& options) override {
    return client_.create(type, ns, object, options);
  }
  Result<Object> replace(const ObjectRef& ref, const Object& object,
                         const WriteOptions& options) override {
    return client_.replace(ref, object, options);
  }
  Result<Object> patch(const ObjectRef& ref, PatchType type, const Json& body,
                       const WriteOptions& options) override {
    return client_.patch(ref, type, body, options);
  }
  Result<void> remove(const ObjectRef& ref, const Preconditions& preconditions) override {
    return client_.remove(ref, preconditions);
  }
  Result<void> watch(const ResourceType& type, const ListOptions& options,
                     const std::string& resource_version,
                     const std::function<void(const WatchEvent&)>& deliver,
                     std::stop_token stop) override {
    return client_.watch(type, options, resource_version, deliver, stop);
  }
  Result<Table> table(const ResourceType& type, const ListOptions& options) override {
    return client_.table(type, options);
  }
  Result<Table> table(const ObjectRef& ref) override { return client_.table(ref); }

 private:
  Client& client_;
};

}  // namespace pgc::kube
