// From what was seen to what is wrong with it. Pure.
#pragma once

#include <string>
#include <vector>

#include "plugin/doctor/sightings.h"
#include "plugin/process.h"

namespace pgc::plugin {

enum class Health { kFine, kDoubtful, kBroken, kUnknown };

// One hop. `remedy` is empty where nothing needs to be done.
struct Check {
  std::string hop;
  Health health = Health::kUnknown;
  std::string detail;
  std::string remedy;
};

// In the order in which a request passes them; the proof, a call of the webhook by the API server,
// stands behind the hops that it takes.
std::vector<Check> diagnose(const Sightings& seen, TimePoint now);

}  // namespace pgc::plugin
