// What is written on every volume of a cluster: who led last. With it a cluster whose Patroni state
// is gone (deleted and made again on its kept volumes) comes back with its last primary first, and
// the others follow it. Without it a member that was behind could lead, or each wait for the other.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "shared/reconcile/concerns.h"

namespace pgc::reconcile {

struct Record {
  std::string primary;  // its instance, my-db-1
  std::int64_t timeline = 0;
  std::string system_identifier;
  std::string version;  // the major of the data

  bool operator==(const Record&) const = default;
};

// The record of the highest timeline among the volumes; nothing where no volume carries one.
std::optional<Record> last_record(const Observed& observed);

// Adds to the intent of a volume what its record shall be: today's while a primary leads, else what
// stands.
void put_record(const Context& context, kube::Json& claim);

}  // namespace pgc::reconcile
