// The API client as the executor uses it, that lets the operator remember what it has done itself.
// Without it the cache would show the world before our writes until the watch tells of them, and a
// turn in between would write once more, or take one member too many.
//
// Of what the API server answers, only what the cache keeps is read.
#pragma once

#include "operator/secret_memo.h"
#include "shared/kube/cache.h"
#include "shared/kube/forwarding_client.h"

namespace pgc {

class Witness final : public kube::ForwardingClient {
 public:
  // All must outlive it. Safe from several threads.
  Witness(kube::Client& client, kube::Cache& cache, SecretMemo& secrets)
      : ForwardingClient(client), cache_(cache), secrets_(secrets) {}

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

 private:
  void wrote(const kube::ResourceType& type, const kube::Result<kube::Object>& answer,
             const kube::WriteOptions& options);

  kube::Cache& cache_;
  SecretMemo& secrets_;
};

}  // namespace pgc
