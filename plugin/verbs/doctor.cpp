#include "plugin/verbs/doctor.h"

#include <algorithm>
#include <ostream>

#include "plugin/doctor/diagnosis.h"
#include "plugin/doctor/sightings.h"
#include "plugin/printers/text.h"

namespace pgc::plugin {
namespace {

std::string padded(std::string text, std::size_t columns) {
  text.resize(std::max(columns, text.size()), ' ');
  return text;
}

std::string state(Health health, const Palette& palette) {
  constexpr std::size_t kColumns = 9;
  switch (health) {
    case Health::kFine:
      return palette.good(padded("ok", kColumns));
    case Health::kDoubtful:
      return palette.doubtful(padded("doubtful", kColumns));
    case Health::kBroken:
      return palette.bad(padded("BROKEN", kColumns));
    case Health::kUnknown:
      return padded("unknown", kColumns);
  }
  return {};
}

void print(const Check& check, const Palette& palette, std::ostream& out) {
  constexpr std::size_t kHop = 17;
  out << state(check.health, palette) << padded(check.hop, kHop) << printable(check.detail) << '\n';
  if (!check.remedy.empty()) {
    out << std::string(11, ' ') << "-> " << palette.bold(printable(check.remedy)) << '\n';
  }
}

}  // namespace

kube::Result<bool> doctor(const DoctorOptions& options, kube::Client& client,
                          const Streams& streams, const Clock& clock) {
  const Sightings seen = look(options.ns, client);
  // Where the API server itself does not answer there is nothing to tell about what is behind it.
  if (!seen.crd && seen.crd.error().code == 0) return std::unexpected(seen.crd.error());
  const Palette palette(options.colour);
  const std::vector<Check> checks = diagnose(seen, clock.now());
  for (const Check& check : checks) print(check, palette, streams.out);
  const auto broken = std::count_if(checks.begin(), checks.end(), [](const Check& check) {
    return check.health == Health::kBroken;
  });
  if (broken > 0) streams.err << broken << " of " << checks.size() << " hops broken\n";
  return broken == 0;
}

}  // namespace pgc::plugin
