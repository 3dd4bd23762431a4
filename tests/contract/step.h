// One call to an API server as a value that means the same to any: objects are numbered, and what
// an object was is said by "current" or "old" instead of by UIDs and versions.
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "shared/kube/client.h"

namespace pgc::contract {

enum class Verb { kGet, kList, kCreate, kReplace, kPatch, kDelete };
// What a call says about the object that it is meant for.
enum class Claim { kNone, kCurrent, kOld, kWrong };

struct Step {
  Verb verb = Verb::kGet;
  kube::ResourceType type;
  std::string name;
  kube::PatchType patch = kube::PatchType::kMerge;
  // A replace lays it over what is there. "$uid" in it is the UID of the PostgresCluster "a".
  kube::Json body = kube::Json::object();
  Claim version = Claim::kNone;
  Claim uid = Claim::kNone;
  kube::WriteOptions options = {};
  std::string selector = {};

  std::string describe() const;
};

// The same programme for the same seed.
std::vector<Step> programme(unsigned seed, int steps);

const std::vector<kube::ResourceType>& types();

}  // namespace pgc::contract
