#include "operator/witness.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared/observe/observe.h"

namespace pgc {
namespace {

using kube::Object;
using kube::ObjectRef;
using kube::ResourceType;
using kube::Result;

bool cached(const ResourceType& type) {
  return type == kube::kPostgresClusters ||
         std::ranges::find(observe::child_types(), type) != observe::child_types().end();
}

// What is not cached is only asked whether it has been done.
const json::Shape& shape_of_answer(const ResourceType& type) {
  static const json::Shape name{
      .others = false,
      .members = {{"kind"}, {"metadata", true, {.others = false, .members = {{"name"}}}}}};
  return cached(type) ? observe::shape_of(type) : name;
}

kube::WriteOptions with_shape(const ResourceType& type, kube::WriteOptions options) {
  options.keep = &shape_of_answer(type);
  return options;
}

}  // namespace

Result<Object> Witness::create(const ResourceType& type, const std::string& ns,
                               const Object& object, const kube::WriteOptions& options) {
  auto answer = ForwardingClient::create(type, ns, object, with_shape(type, options));
  const bool there = answer || answer.error().is(kube::ErrorKind::kAlreadyExists);
  if (type == kube::kSecrets && there) secrets_.saw(ns, std::string(object.name()));
  wrote(type, answer, options);
  return answer;
}

Result<Object> Witness::replace(const ObjectRef& ref, const Object& object,
                                const kube::WriteOptions& options) {
  auto answer = ForwardingClient::replace(ref, object, with_shape(ref.type, options));
  wrote(ref.type, answer, options);
  return answer;
}

Result<Object> Witness::patch(const ObjectRef& ref, kube::PatchType type, const kube::Json& body,
                              const kube::WriteOptions& options) {
  auto answer = ForwardingClient::patch(ref, type, body, with_shape(ref.type, options));
  wrote(ref.type, answer, options);
  return answer;
}

// The answer to a write of the subresource `scale` is another kind of object.
void Witness::wrote(const ResourceType& type, const Result<Object>& answer,
                    const kube::WriteOptions& options) {
  if (!answer || options.dry_run || options.subresource == "scale" || !cached(type)) return;
  cache_.put_written(type, *answer);
}

Result<void> Witness::remove(const ObjectRef& ref, const kube::Preconditions& preconditions) {
  auto removed = ForwardingClient::remove(ref, preconditions);
  if (removed && !preconditions.uid.empty()) cache_.hide(ref, preconditions.uid);
  return removed;
}

}  // namespace pgc
