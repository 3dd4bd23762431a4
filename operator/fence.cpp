#include "operator/fence.h"

namespace pgc {

kube::Result<void> FencedClient::admitted() {
  if (fence_.open(BootClock::now())) return {};
  fence_.count_refused();
  return std::unexpected(
      kube::Error{.kind = kube::ErrorKind::kUnreachable,
                  .message = "not written: the lease has run out, another may lead by now"});
}

kube::Result<kube::Object> FencedClient::create(const kube::ResourceType& type,
                                                const std::string& ns, const kube::Object& object,
                                                const kube::WriteOptions& options) {
  if (auto may = admitted(); !may) return std::unexpected(may.error());
  return ForwardingClient::create(type, ns, object, options);
}

kube::Result<kube::Object> FencedClient::replace(const kube::ObjectRef& ref,
                                                 const kube::Object& object,
                                                 const kube::WriteOptions& options) {
  if (auto may = admitted(); !may) return std::unexpected(may.error());
  return ForwardingClient::replace(ref, object, options);
}

kube::Result<kube::Object> FencedClient::patch(const kube::ObjectRef& ref, kube::PatchType type,
                                               const kube::Json& body,
                                               const kube::WriteOptions& options) {
  if (auto may = admitted(); !may) return std::unexpected(may.error());
  return ForwardingClient::patch(ref, type, body, options);
}

kube::Result<void> FencedClient::remove(const kube::ObjectRef& ref,
                                        const kube::Preconditions& preconditions) {
  if (auto may = admitted(); !may) return may;
  return ForwardingClient::remove(ref, preconditions);
}

}  // namespace pgc
