// One of the two API servers that are compared, and what has been seen of its objects.
#pragma once

#include <map>
#include <string>

#include "tests/contract/step.h"

namespace pgc::contract {

class Side {
 public:
  // `client` must outlive it. Everything happens in the namespace `ns`.
  Side(kube::Client& client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  // Performs the step; what came of it, in words that are the same on any API server.
  std::string perform(const Step& step);
  // The whole text of the last refusal.
  const std::string& last_message() const { return last_message_; }

 private:
  kube::ObjectRef ref(const Step& step) const { return {step.type, ns_, step.name}; }
  std::string claimed(const Step& step, Claim claim, const char* field);
  kube::Json body_of(const Step& step);
  void resolve(kube::Json& body);
  std::string refused(const kube::Error& error);
  std::string remember(const Step& step, const kube::Result<kube::Object>& result);
  std::string remove(const Step& step);
  std::string list(const Step& step);

  kube::Client& client_;
  const std::string ns_;
  std::map<kube::ObjectRef, std::vector<kube::Object>> seen_;
  std::string last_message_;
};

// The object without what two servers must differ in: UIDs, versions, times, addresses, owners of
// fields, and the status of types whose status our programs do not write.
kube::Json normal(const kube::Object& object);

}  // namespace pgc::contract
