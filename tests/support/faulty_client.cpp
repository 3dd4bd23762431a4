#include "tests/support/faulty_client.h"

#include <nlohmann/json.hpp>

namespace pgc::test {
namespace {

using kube::Error;
using kube::ErrorKind;

const char* name_of(Effect effect) {
  const char* const names[] = {
      "drop",           "time out",   "lose the reply of", "conflict at", "too many requests at",
      "unavailable at", "die before", "die after"};
  return names[static_cast<int>(effect)];
}

bool fits(const Fault& fault, const FaultyClient::Call& call) {
  if (!fault.plural.empty() && fault.plural != call.ref.type.plural) return false;
  if (fault.verb == "write") return call.writes();
  if (fault.verb == "read") return !call.writes();
  return fault.verb.empty() || fault.verb == call.verb;
}

Error error_of(Effect effect) {
  switch (effect) {
    case Effect::kConflict:
      return {.kind = ErrorKind::kConflict,
              .message = "injected: the object has been modified",
              .code = 409,
              .reason = "Conflict"};
    case Effect::kTooManyRequests:
      return {.kind = ErrorKind::kTooManyRequests,
              .message = "injected: too many requests",
              .code = 429,
              .reason = "TooManyRequests",
              .retry_after = std::chrono::seconds(1)};
    case Effect::kUnavailable:
      return {.kind = ErrorKind::kServerError,
              .message = "injected: unavailable",
              .code = 503,
              .reason = "ServiceUnavailable"};
    case Effect::kTimeout:
    case Effect::kLoseReply:
      return {.kind = ErrorKind::kTimeout, .message = "injected: no answer in time"};
    default:
      return {.kind = ErrorKind::kUnreachable, .message = "injected: connection refused"};
  }
}

}  // namespace

std::string Fault::to_string() const {
  std::string text = std::string(name_of(effect)) + " " + (verb.empty() ? "call" : verb);
  if (!plural.empty()) text += " of " + plural;
  text += " no. " + std::to_string(first);
  if (times > 1) text += " to " + std::to_string(first + times - 1);
  return text;
}

std::string to_string(const std::vector<Fault>& plan) {
  std::string text;
  for (const Fault& fault : plan) text += (text.empty() ? "" : "; ") + fault.to_string();
  return text.empty() ? "no fault" : text;
}

void FaultyClient::plan(std::vector<Fault> faults) {
  armed_.clear();
  for (Fault& fault : faults) armed_.push_back({std::move(fault)});
  writes_ = 0;
  failed_reads_ = 0;
}

std::optional<Effect> FaultyClient::effect_on(const Call& call) {
  std::optional<Effect> effect;
  for (Armed& armed : armed_) {
    if (!fits(armed.fault, call)) continue;
    ++armed.seen;
    const bool due =
        armed.seen >= armed.fault.first && armed.seen < armed.fault.first + armed.fault.times;
    if (due && !effect) effect = armed.fault.effect;
  }
  return effect;
}

template <typename Value, typename Forward>
kube::Result<Value> FaultyClient::pass(const Call& call, const Forward& forward) {
  if (call.writes()) ++writes_;
  const auto effect = effect_on(call);
  if (effect == Effect::kDieBefore) throw ProcessDeath();
  const bool arrives = !effect || *effect == Effect::kLoseReply || *effect == Effect::kDieAfter;
  if (arrives) {
    if (before) before(call);
    auto result = forward();
    if (effect == Effect::kDieAfter) throw ProcessDeath();
    if (!effect) return result;
  }
  if (!call.writes()) ++failed_reads_;
  return std::unexpected(error_of(*effect));
}

kube::Result<kube::Object> FaultyClient::get(const kube::ObjectRef& ref) {
  return pass<kube::Object>({"get", ref}, [&] { return client_.get(ref); });
}

kube::Result<kube::ObjectList> FaultyClient::list(const kube::ResourceType& type,
                                                  const kube::ListOptions& options) {
  return pass<kube::ObjectList>({"list", {type, options.ns, ""}},
                                [&] { return client_.list(type, options); });
}

kube::Result<kube::Object> FaultyClient::create(const kube::ResourceType& type,
                                                const std::string& ns, const kube::Object& object,
                                                const kube::WriteOptions& options) {
  const Call call{"create",
                  {type, ns, std::string(object.name())},
                  &object.json(),
                  kube::PatchType::kMerge,
                  &options};
  return pass<kube::Object>(call, [&] { return client_.create(type, ns, object, options); });
}

kube::Result<kube::Object> FaultyClient::replace(const kube::ObjectRef& ref,
                                                 const kube::Object& object,
                                                 const kube::WriteOptions& options) {
  const Call call{"replace", ref, &object.json(), kube::PatchType::kMerge, &options};
  return pass<kube::Object>(call, [&] { return client_.replace(ref, object, options); });
}

kube::Result<kube::Object> FaultyClient::patch(const kube::ObjectRef& ref, kube::PatchType type,
                                               const kube::Json& body,
                                               const kube::WriteOptions& options) {
  const Call call{"patch", ref, &body, type, &options};
  return pass<kube::Object>(call, [&] { return client_.patch(ref, type, body, options); });
}

kube::Result<void> FaultyClient::remove(const kube::ObjectRef& ref,
                                        const kube::Preconditions& preconditions) {
  const Call call{"delete", ref, nullptr, kube::PatchType::kMerge, nullptr, &preconditions};
  return pass<void>(call, [&] { return client_.remove(ref, preconditions); });
}

kube::Result<void> FaultyClient::watch(const kube::ResourceType& type,
                                       const kube::ListOptions& options,
                                       const std::string& resource_version,
                                       const std::function<void(const kube::WatchEvent&)>& deliver,
                                       std::stop_token stop) {
  return client_.watch(type, options, resource_version, deliver, stop);
}

}  // namespace pgc::test
